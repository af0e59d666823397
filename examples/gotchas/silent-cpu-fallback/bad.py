"""Runs on the CPU, though a GPU was asked for or is there.

Without the plugin for the accelerator JAX takes the CPU, and everything works, slowly.
`JAX_PLATFORMS=cuda` alone raises; with `cuda,cpu` it goes on.
"""

# ! silent-cpu-fallback
import os

os.environ["JAX_PLATFORMS"] = "cuda,cpu"

import jax.numpy as jnp

x = jnp.ones((64, 64))
y = x @ x
