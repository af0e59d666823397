"""A key that is handed through a fit which has no noise, and thrown away at its end."""

import jax
import jax.numpy as jnp


def fit(key, image, params, steps):
    def loss(params, key):
        return jnp.mean((params - image) ** 2)

    value = 0.0
    for _ in range(steps):
        key, subkey = jax.random.split(key)
        value, grads = jax.value_and_grad(loss)(params, subkey)
        params = params - 0.1 * grads
    return key, params, value


def held_out(images, params, total=0.0):
    key = jax.random.PRNGKey(42)
    for image in images:
        _, fitted, value = fit(key, image, params, 2)
        total = total + value + jnp.sum(fitted)
    _, plain, _ = fit(key, images[0], jnp.zeros(3), 2)
    return total, plain
