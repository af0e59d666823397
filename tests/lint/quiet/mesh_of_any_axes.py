"""Meshes for which it is all the same whether their axes are explicit or automatic."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P


def replicate(z):
    mesh = jax.make_mesh((len(z.devices()),), ("x",), devices=list(z.devices()))
    return np.array(jax.device_put(z, NamedSharding(mesh, P())))


def attention():
    mesh = jax.make_mesh((jax.device_count(),), ("x",))
    spec = P(None, "x", None)

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=(spec, spec), out_specs=spec, check_vma=False)
    def attend(q, k):
        return q * k

    q = jax.device_put(jnp.ones((8, 16, 4)), NamedSharding(mesh, spec))
    k = jax.device_put(jnp.ones((8, 16, 4)), NamedSharding(mesh, spec))
    print(jnp.linalg.norm(attend(q, k), axis=-1))
