"""Reads a value that is NaN or infinite.

A NaN spreads to everything that is computed from it: after one update all weights are NaN. The step
that printed it is rarely the one that made it.

## The price
Every step after it.
"""

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    loss, gradient = jax.value_and_grad(lambda w: jnp.log(1.0 - w * x))(w)
    return w - gradient, loss


w = jnp.float32(0.0)
for _ in range(5):
    w, loss = step(w, 0.5)
    print(f"loss {float(loss):.3f}")  # ! non-finite-value
