import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec

mesh = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))


@jax.jit
@jax.shard_map(mesh=mesh, in_specs=PartitionSpec("data"), out_specs=PartitionSpec())
def step(batch):
    return jax.lax.psum(batch.sum(), "data")


total = step(jnp.ones((4, 3)))
