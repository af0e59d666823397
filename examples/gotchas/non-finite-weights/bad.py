"""Trains on after the weights have turned NaN, and never looks at them.

After one step with a NaN gradient all weights are NaN, and every later step costs as much as a good
one. Where no loss is read, or only its best value is kept, nothing shows it.

## The price
The rest of the run.
"""

import time

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    return w - jax.grad(lambda w: jnp.sqrt(jnp.abs(w @ x)).sum())(w)


w, x = jnp.ones((64, 64)), jnp.ones(64)
for turn in range(600):  # ! non-finite-weights
    w = step(w, x if turn < 300 else 0 * x)
    time.sleep(0.001)
