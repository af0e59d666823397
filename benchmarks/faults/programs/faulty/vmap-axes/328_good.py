from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax


def leaf_axes(data, axis=0):
    return jax.tree.map(lambda _: axis, data)


class ForcedOscillator:
    """Predicts acceleration from the pair (position and velocity, force)."""

    def init(self, key):
        k1, k2 = jax.random.split(key)
        return {
            "w1": jax.random.normal(k1, (3, 16)) * 0.5,
            "w2": jax.random.normal(k2, (16,)) * 0.3,
        }

    def __call__(self, params, inputs):
        state, force = inputs
        h = jnp.tanh(jnp.concatenate([state, force]) @ params["w1"])
        return h @ params["w2"]


def mse(model: Callable, params, x, y, in_axes):
    pred = jax.vmap(lambda inputs: model(params, inputs), in_axes=(in_axes,))(x)
    return jnp.mean((pred - y) ** 2)


def batches(data, size, steps, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        idx = rng.integers(0, len(jax.tree.leaves(data)[0]), size)
        yield jax.tree.map(lambda a: a[idx], data)


def fit(model, params, data, steps=30, batch_size=16, lr=1e-2):
    x, _ = data
    in_axes = leaf_axes(x)
    tx = optax.adam(lr)
    opt_state = tx.init(params)

    @jax.jit
    def step(params, opt_state, x, y):
        loss, g = jax.value_and_grad(lambda p: mse(model, p, x, y, in_axes))(params)
        updates, opt_state = tx.update(g, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    for bx, by in batches(data, batch_size, steps):
        params, opt_state, loss = step(params, opt_state, bx, by)
    return params, float(loss)


def main():
    rng = np.random.default_rng(1)
    state = rng.standard_normal((200, 2)).astype(np.float32)
    force = rng.standard_normal((200, 1)).astype(np.float32)
    y = force[:, 0] - state[:, 0] - 0.1 * state[:, 1]
    model = ForcedOscillator()
    _, loss = fit(model, model.init(jax.random.key(0)), ((state, force), y))
    print("loss", loss)


if __name__ == "__main__":
    main()
