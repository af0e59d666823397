"""Resume a run from a pickled checkpoint of params and optimizer state."""
import os
import pickle
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
import optax


def init_params(key, sizes=(3, 32, 32, 1)):
    keys = jax.random.split(key, len(sizes) - 1)
    return {f"layer_{i}": {"w": jax.random.normal(k, (m, n)) / np.sqrt(m), "b": jnp.zeros(n)}
            for i, (k, m, n) in enumerate(zip(keys, sizes[:-1], sizes[1:]))}


def forward(params, x):
    names = sorted(params)
    for name in names[:-1]:
        x = jnp.tanh(x @ params[name]["w"] + params[name]["b"])
    return x @ params[names[-1]]["w"] + params[names[-1]]["b"]


tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))


@jax.jit
def train_step(params, opt_state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - y) ** 2))(params)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state, loss


class Checkpointer:
    def __init__(self, directory):
        self.path = os.path.join(directory, "ckpt.pkl")

    def save(self, step, params, opt_state):
        leaves = [np.asarray(l) for l in jax.tree.leaves(opt_state)]
        with open(self.path, "wb") as f:
            pickle.dump((step, jax.tree.map(np.asarray, params), leaves), f)

    def restore(self, template):
        with open(self.path, "rb") as f:
            step, params, leaves = pickle.load(f)
        count, mu, nu = template[1][0].count, template[1][0].mu, template[1][0].nu
        flat = jax.tree.unflatten(jax.tree.structure((count, mu, nu)), leaves)
        adam = template[1][0]._replace(count=flat[0], mu=flat[1], nu=flat[2])
        return step, params, (template[0], (adam, template[1][1]))


def run(params, opt_state, start, stop, rng):
    for _ in range(start, stop):
        x = rng.normal(size=(64, 3)).astype(np.float32)
        params, opt_state, loss = train_step(params, opt_state, x, x.sum(1, keepdims=True))
    return params, opt_state, loss


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    params = init_params(jax.random.key(0))
    with tempfile.TemporaryDirectory() as d:
        ckpt = Checkpointer(d)
        params, opt_state, _ = run(params, tx.init(params), 0, 5, rng)
        ckpt.save(5, params, opt_state)
        step, params, opt_state = ckpt.restore(tx.init(params))
        params, opt_state, loss = run(params, opt_state, step, 10, rng)
    print("resumed at", step, "loss", float(loss))
