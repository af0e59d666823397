"""Asks an array with several elements for one truth value.

Python's `if`, `and`, `or`, `not` and `in` need one answer, and a comparison of arrays gives one for
each element. It is the same in NumPy; inside of `jit` the error is [traced-if](traced-if.md).
"""

import jax.numpy as jnp

lengths = jnp.array([3, 0, 5])
if lengths > 0:  # ! array-truth-value
    print("nothing is empty")
