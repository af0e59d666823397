"""Compiles a function again that was compiled before.

JAX keeps a compiled program for each function object and each combination of shapes, dtypes, tree
structures and static values. A call that fits none is traced and compiled: for a small step that
takes hundreds of times as long as the step, for a large one minutes. Nothing is printed.

## Instead
Make jitted functions once, give them arrays of few shapes and of one dtype, and keep what changes
at each step an argument.
"""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def step(w, tokens, total):
    return total + jnp.sum(w[tokens])


w, total = jnp.ones(100), jnp.zeros(())
for length in range(20, 26):
    tokens = np.ones((8, length), np.int32)
    total = step(w, tokens, total)  # ! recompile/shape
