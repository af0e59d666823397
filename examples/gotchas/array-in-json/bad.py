"""Gives a JAX array to `json`, which does not know the type.

A loss or a metric is an array, even when it is one number; `json` writes Python's own types only.
The same holds for NumPy's scalars.
"""

import json

import jax.numpy as jnp

losses = jnp.array([2.5, 1.5])
line = json.dumps({"step": 1, "loss": losses.mean()})  # ! array-in-json
