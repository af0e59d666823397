"""Calls a compiled function through Python at each step.

A call of a jitted function normally never reaches Python code. An ordered effect, such as
`jax.debug.print(ordered=True)`, and some debugging flags make every call take the long way.
"""

# needs Python 3.12
import time

import jax
import jax.numpy as jnp


@jax.jit
def step(w):
    jax.debug.callback(lambda value: None, w.sum(), ordered=True)
    return w * 0.99


w, end = jnp.ones((64, 64)), time.monotonic() + 2
while time.monotonic() < end:
    w = step(w)  # ! slow-path-call
