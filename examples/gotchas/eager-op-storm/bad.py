"""Runs operations outside of `jit` on arrays whose shape keeps changing.

Every single operation is a program of its own, compiled for each new shape: a few dozen
milliseconds for what takes microseconds.
"""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def score(rewards):
    return rewards.sum()


total = score(jnp.zeros(32))
for length in range(20, 30):
    rewards = np.ones(length, np.float32)
    total += jnp.cumsum(rewards * 0.99)[-1]  # ! eager-op-storm
