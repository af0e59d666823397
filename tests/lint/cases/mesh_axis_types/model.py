import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P, reshard


def forward(x, w):
    return jnp.einsum("bd,df->bf", reshard(x, P("x", None)), w, out_sharding=P("x", None))


def load(mesh):
    return jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P(None, "x")))
