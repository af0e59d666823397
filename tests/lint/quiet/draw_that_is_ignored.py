"""Rows that are drawn outside of a step, which draws its own and ignores these."""

import jax
import jax.numpy as jnp


@jax.jit
def step(key, images, params, rows):
    def loss(params, keys):
        rows = jax.random.randint(keys[0], (8,), 0, images.shape[0])
        return jnp.mean((params + jax.random.normal(keys[1], (8,)) - images[rows]) ** 2)

    key, *keys = jax.random.split(key, 3)
    return key, params - 0.1 * jax.grad(loss)(params, keys)


def fit(key, images, params):
    for _ in range(100):
        rows = jax.random.randint(key, (8,), 0, images.shape[0])
        key, params = step(key, images, params, rows)
    return params
