"""Weights that are made in place, for one layout after another: each is a program of its own."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

schemes = [((4, 1), (None,)), ((2, 2), ("x",))]
for shape, spec in schemes:
    mesh = Mesh(np.reshape(jax.devices(), shape), ("x", "y"))
    sharding = NamedSharding(mesh, PartitionSpec(*spec))

    @partial(jax.jit, out_shardings=sharding)
    def weight():
        return jnp.ones((8, 8))

    weights = [weight() for _ in range(4)]
    print(len(weights))
