"""Says how to shard an array by axis names, with no mesh that has these axes.

A `PartitionSpec` is only names; a `NamedSharding` has its mesh, and `jax.set_mesh` sets one for
what follows.
"""

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

rows = PartitionSpec("data")


@jax.jit
def step(batch):
    return jax.lax.with_sharding_constraint(batch * 2, rows)  # ! sharding-constraint-no-mesh


doubled = step(jnp.ones((4, 3)))
