"""Runs the operations of a loop one by one, outside of jit: the device waits for the host.

Each operation outside of jit is found, checked and started by Python, which takes 10 to 100 times as
long as a small operation itself. Nothing compiles any more, and no line is slow by itself.

## The price
Nearly all of the loop's time.
"""

import jax.numpy as jnp

w, x = jnp.ones((16, 16)), jnp.ones((8, 16))
for step in range(6000):  # ! host-bound-loop
    error = jnp.tanh(x @ w) - 1.0
    w = w - 0.01 * (x.T @ error)
