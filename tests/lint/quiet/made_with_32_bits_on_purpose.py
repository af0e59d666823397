"""Computed with 32 bits first, to compare."""

import jax
import jax.numpy as jnp

error_f32 = jnp.abs(jnp.exp(jnp.ones(3)) - 2.718281828459045)

jax.config.update("jax_enable_x64", True)

error = jnp.abs(jnp.exp(jnp.ones(3)) - 2.718281828459045)
print(error_f32.max() > error.max())
