"""Gives JAX an integer that needs 64 bits.

JAX makes 32 bits of all numbers unless `jax_enable_x64` is set. A Python number that is too large
raises; a NumPy array of 64 bits is cut to 32 without an error, so large values become negative.
"""

import jax.numpy as jnp

seen = jnp.array(3_000_000_000)  # ! int64-truncation
seen += 512
