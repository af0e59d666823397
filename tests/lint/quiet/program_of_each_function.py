"""A constant for each function of a network, by a program for each of them."""

from collections.abc import Callable

import jax
import jax.numpy as jnp


def moment(function: Callable, power: int, key: jax.Array, dtype: jnp.dtype) -> jax.Array:
    return jnp.mean(function(jax.random.normal(key, (1000,), dtype)) ** power)


def normalized(function: Callable, key: jax.Array | None = None, dtype: jnp.dtype | None = None):
    if key is None:
        key = jax.random.PRNGKey(0)
    if dtype is None:
        dtype = jnp.float32

    @jax.jit
    def constant(key):
        return moment(function, 2, key, dtype=dtype) ** -0.5

    scale = constant(key)
    return lambda x: scale * function(x)


def layers(functions):
    return [normalized(function) for function in functions]
