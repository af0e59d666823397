"""The option does it; the variable is for the processes that this one starts."""

import os

import jax
import jax.numpy as jnp

jax.config.update("jax_platform_name", "cpu")
os.environ["JAX_PLATFORM_NAME"] = "cpu"

x = jnp.ones(3)
