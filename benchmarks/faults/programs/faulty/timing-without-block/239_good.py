"""Variational Monte Carlo of a spin chain with a timed epoch loop."""
import time

import jax
import jax.numpy as jnp
import numpy as np

SITES = 64


def init(key, hidden=512):
    k1, k2, k3 = jax.random.split(key, 3)
    return {"w1": 0.1 * jax.random.normal(k1, (SITES, hidden)),
            "w2": 0.05 * jax.random.normal(k2, (hidden, hidden)),
            "log": 0.05 * jax.random.normal(k3, (hidden,)),
            "phase": 0.05 * jax.random.normal(k3, (hidden,))}


@jax.jit
def evaluate(params, configs):
    h = jnp.tanh(jnp.tanh(configs @ params["w1"]) @ params["w2"])
    return h @ params["log"], jnp.pi * jnp.tanh(h @ params["phase"])


def flip_all(configs):
    flips = 1 - 2 * np.eye(SITES, dtype=np.float32)
    return (configs[:, None] * flips).reshape(-1, SITES)


class EpochTimer:
    def __init__(self):
        self.records = []

    def run(self, fn, *args):
        start = time.time()
        out = jax.block_until_ready(fn(*args))
        self.records.append(time.time() - start)
        return out


def local_energy(params, configs, timer, field=1.0):
    log_psi, _ = timer.run(evaluate, params, configs)
    log_flip, _ = timer.run(evaluate, params, flip_all(configs))
    ising = -np.sum(configs * np.roll(configs, 1, axis=1), axis=1)
    ratio = jnp.exp(log_flip.reshape(len(configs), SITES) - log_psi[:, None])
    return ising - field * ratio.sum(1)


def main(epochs=5, batch=128):
    rng = np.random.default_rng(0)
    params, timer = init(jax.random.PRNGKey(0)), EpochTimer()
    wall = time.time()
    for epoch in range(epochs):
        configs = rng.choice([-1.0, 1.0], (batch, SITES)).astype(np.float32)
        energy = local_energy(params, configs, timer).mean()
        print(epoch, float(energy))
    print("network seconds after warm-up", round(sum(timer.records[2:]), 4),
          "wall", round(time.time() - wall, 2))


if __name__ == "__main__":
    main()
