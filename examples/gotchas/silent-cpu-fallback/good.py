import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax.numpy as jnp

x = jnp.ones((64, 64))
y = x @ x
