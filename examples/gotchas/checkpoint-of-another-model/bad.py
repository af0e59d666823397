"""Loads a checkpoint into a model of another shape.

Orbax and `flax.serialization` compare the containers: other names of layers, or the state of another
optimizer, end with an error that shows both. Orbax compares the shapes too, `flax.serialization` does
not: there the stored shapes win in silence
([checkpoint-shapes-unchecked](checkpoint-shapes-unchecked.md)).
"""

import jax.numpy as jnp
import optax
from flax import serialization

params = jnp.ones(3)
stored = serialization.to_bytes(optax.adam(1e-3).init(params))
state = optax.sgd(1e-3, momentum=0.9).init(params)
state = serialization.from_bytes(state, stored)  # ! checkpoint-of-another-model
