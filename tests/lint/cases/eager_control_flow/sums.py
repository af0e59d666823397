"""Loops of lax, which this file does not jit."""

import jax
import jax.numpy as jnp


def total(xs):
    return _total(xs)


def _total(xs):
    return jax.lax.scan(lambda c, x: (c + x, None), jnp.zeros(()), xs)[0]  # ! eager-control-flow


def compiled_total(xs):
    return jax.lax.scan(lambda c, x: (c + x, None), jnp.zeros(()), xs)[0]


def _add(carry, x):
    return carry + x, None


def total_by_name(xs):
    return jax.lax.scan(_add, jnp.zeros(()), xs)[0]


def total_once(xs):
    return jax.lax.scan(lambda c, x: (c + x, None), jnp.zeros(()), xs)[0]
