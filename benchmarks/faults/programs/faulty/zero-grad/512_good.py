"""Binary classification of two rings with a small hand-written network."""
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import optax


def make_circles(seed, n, noise=0.1, factor=0.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    angle = rng.uniform(0.0, 2.0 * np.pi, n)
    radius = np.where(y == 1, factor, 1.0)
    x = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1) + noise * rng.normal(size=(n, 2))
    return x.astype(np.float32), y.astype(np.float32)


def init_mlp(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        (jax.random.normal(k, (m, n)) * jnp.sqrt(2.0 / m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes[:-1], sizes[1:])
    ]


def apply_mlp(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return jax.nn.sigmoid(x @ w + b)[:, 0]


def loss(params, x, y):
    p = jnp.clip(apply_mlp(params, x), 1e-6, 1.0 - 1e-6)
    return -jnp.mean(y * jnp.log(p) + (1.0 - y) * jnp.log(1.0 - p))


def make_step(opt):
    @jax.jit
    def step(params, opt_state, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, opt_state = opt.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, value

    return step


def accuracy(params, x, y):
    return float(jnp.mean((apply_mlp(params, x) > 0.5) == (y > 0.5)))


def main(epochs=150):
    x, y = make_circles(0, 400)
    params = init_mlp(jax.random.key(2), (2, 16, 16, 1))
    opt = optax.adam(1e-2)
    opt_state, step = opt.init(params), make_step(opt)
    before = accuracy(params, x, y)
    for _ in range(epochs):
        params, opt_state, value = step(params, opt_state, x, y)
    print("loss", float(value), "accuracy", before, "->", accuracy(params, x, y))


if __name__ == "__main__":
    main()
