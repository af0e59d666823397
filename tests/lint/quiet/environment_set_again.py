"""A variable that was set in time, and is set again, to the same, by a tool that sorted the imports."""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax

os.environ["JAX_PLATFORMS"] = "cpu"

print(jax.devices())
