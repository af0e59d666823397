"""Does what one of JAX's own checks would refuse, had it been on.

JAX has checks for NaN, indices out of bounds, rank promotion, leaked tracers, keys that are used
twice and transfers. They are off by default, because they slow each step down.

## The price
Another result: an index out of bounds reads the last element, and writes nothing.
"""

import jax
import jax.numpy as jnp

# GOTCHA_OPTIONS=guard=2


@jax.jit
def embed(table, token):
    return table[token] * 2.0  # ! failed-guard/out-of-bounds


vectors = embed(jnp.ones((16, 4)), jnp.asarray([3, 16]))
