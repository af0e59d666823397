"""Runs a module that updates a collection, which is not said to be mutable.

A Linen module changes nothing of its own: new batch statistics come out of `apply` as a second
result, and only when `mutable` names the collection.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.BatchNorm(use_running_average=False)
variables = model.init(jax.random.key(0), jnp.ones((4, 3)))
normal = model.apply(variables, jnp.ones((4, 3)))  # ! linen-mutable-tuple
