"""Hands a typed random key to NumPy.

A key of `jax.random.key` is no array of numbers, but can be made into one and back. Raw keys
(`jax.random.PRNGKey`) are arrays of `uint32`; only typed ones are checked for being used twice.
"""

import jax
import numpy as np

key = jax.random.key(0)
saved = np.asarray(key)  # ! key-not-numpy
