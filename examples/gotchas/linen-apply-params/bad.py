"""Gives the parameters alone to `apply`, which wants all collections.

`init` returns `{"params": ..., "batch_stats": ...}`. `apply` looks its parameters up by the name of
the collection.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.Dense(2)
params = model.init(jax.random.key(0), jnp.ones((4, 3)))["params"]
predicted = model.apply(params, jnp.ones((4, 3)))  # ! linen-apply-params
