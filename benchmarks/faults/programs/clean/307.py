"""Preprocess catalogues with forked workers first; jax is imported only for the fit."""
import multiprocessing as mp
import os

import numpy as np


def reduce_chunk(job):
    seed, size = job
    rng = np.random.default_rng(seed)
    mag = rng.normal(20.0, 1.5, size)
    colour = 0.4 * (mag - 20.0) + rng.normal(0.0, 0.3, size)
    keep = mag < 22.0
    return np.stack([mag[keep], colour[keep]], axis=1).astype(np.float32)


def preprocess(num_chunks, size, workers=2):
    ctx = mp.get_context("fork" if os.name == "posix" else "spawn")
    with ctx.Pool(workers) as pool:
        chunks = pool.map(reduce_chunk, [(i, size) for i in range(num_chunks)])
    return np.concatenate(chunks)


def fit_relation(table, steps=300, lr=0.05):
    import jax
    import jax.numpy as jnp
    import optax

    x, y = table[:, 0] - 20.0, table[:, 1]
    tx = optax.adam(lr)

    def neg_log_like(p):
        sigma = jnp.exp(p["log_sigma"])
        resid = (y - p["slope"] * x - p["offset"]) / sigma
        return jnp.mean(0.5 * resid**2) + p["log_sigma"]

    @jax.jit
    def run(params):
        def body(carry, _):
            params, state = carry
            grads = jax.grad(neg_log_like)(params)
            updates, state = tx.update(grads, state)
            return (optax.apply_updates(params, updates), state), None

        (params, _), _ = jax.lax.scan(body, (params, tx.init(params)), None, length=steps)
        return params

    zero = jnp.zeros((), jnp.float32)
    return {k: float(v) for k, v in run({"slope": zero, "offset": zero, "log_sigma": zero}).items()}


def main():
    table = preprocess(num_chunks=4, size=500)
    print(len(table), "objects", fit_relation(table))


if __name__ == "__main__":
    main()
