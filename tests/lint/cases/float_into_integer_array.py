"""Values written into arrays of whole numbers."""

import jax.numpy as jnp
import numpy as np


def weights(tokens):
    out = jnp.zeros_like(tokens)
    return out.at[0].set(jnp.float32(0.5))  # ! float-into-integer-array


def fractions(n):
    out = jnp.arange(n)
    return out.at[1:].add(jnp.linspace(0.0, 1.0, n - 1))  # ! float-into-integer-array


def half():
    return jnp.array([1, 2]).at[0].set(0.5)  # ! float-into-integer-array


def whole_float():
    return jnp.array([1, 2]).at[0].set(3.0)  # ! float-into-integer-array


def whole_number():
    return jnp.array([1, 2]).at[0].set(3)


def typed(tokens):
    out = jnp.zeros_like(tokens, dtype=jnp.float32)
    return out.at[0].set(jnp.float32(0.5))


def converted(n):
    out = jnp.arange(n)
    return out.at[0].set(jnp.float32(2.5).astype(out.dtype))


def counted(values):
    return jnp.zeros(4, jnp.int32).at[values].add(1)


tokens = jnp.array([4, 2, 7])
wrong = weights(tokens), fractions(5), half(), whole_float()
right = whole_number(), typed(tokens), converted(5), counted(np.array([1, 2]))
