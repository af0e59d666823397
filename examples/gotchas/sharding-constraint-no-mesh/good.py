import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, PartitionSpec("data"))


@jax.jit
def step(batch):
    return jax.lax.with_sharding_constraint(batch * 2, rows)


doubled = step(jnp.ones((4, 3)))
