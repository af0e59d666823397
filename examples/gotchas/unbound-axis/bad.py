"""Sums over a named axis where no transformation defines it.

Names of axes come from `jax.shard_map`, or `jax.vmap` with `axis_name`. Under `jax.jit` alone there
are none: sums over a sharded array are already sums over all of it.
"""

import jax
import jax.numpy as jnp


@jax.jit
def step(batch):
    return jax.lax.psum(batch.sum(), "data")  # ! unbound-axis


total = step(jnp.ones((4, 3)))
