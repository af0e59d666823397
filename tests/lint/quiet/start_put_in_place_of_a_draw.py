"""Noise that a given picture replaces, which the same key turns into noise: one of them is there."""

import jax
import jax.numpy as jnp


def noised(key, picture):
    return picture + jax.random.normal(key, picture.shape)


def main(one, other):
    key_1, key_2 = jax.random.split(jax.random.key(1))
    first = jax.random.normal(key_1, (8, 8))
    second = jax.random.normal(key_2, (8, 8))
    if one:
        first = noised(key_1, jnp.load(one))
    if other:
        second = noised(key_2, jnp.load(other))
    return first + second
