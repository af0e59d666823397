"""Keeps arrays of each step: the memory fills up until the process is killed.

A Python list of losses or activations holds arrays on the device. An array that something still
refers to is never freed.
"""

import time

import jax
import jax.numpy as jnp


@jax.jit
def step(w):
    return w * 0.99, jnp.tanh(w)


w, history = jnp.ones((64, 64)), []
end = time.monotonic() + 3
while time.monotonic() < end:
    w, activations = step(w)
    history.append(activations)  # ! memory-growth
