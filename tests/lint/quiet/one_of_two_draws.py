"""Two ways to draw, of which a mask takes one."""

import jax
import jax.numpy as jnp


def on_line(key):
    return jnp.full((2,), jax.random.uniform(key))


def on_square(key):
    return jax.random.uniform(key, (2,))


def place(key, flat):
    return jax.lax.select(flat, on_line(key), on_square(key))


def shifted(key, mask, x):
    noise = jax.random.normal(key, x.shape)
    return jnp.where(mask, x + noise, x - jax.random.uniform(key, x.shape))
