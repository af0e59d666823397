"""Runs a module that draws random numbers, and gives it no key.

Dropout is on (`deterministic=False`), and draws from a key named `dropout`. `init` may have had
one, but keys are not kept.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.Dropout(0.5, deterministic=False)
variables = model.init(jax.random.key(0), jnp.ones(3))
dropped = model.apply(variables, jnp.ones(3))  # ! linen-missing-dropout-rng
