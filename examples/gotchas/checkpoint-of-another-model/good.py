import json

import jax.numpy as jnp
import optax
from flax import serialization

OPTIMIZERS = {"adam": optax.adam(1e-3), "sgd": optax.sgd(1e-3, momentum=0.9)}

params = jnp.ones(3)
config = json.dumps({"optimizer": "adam"})  # stored beside the state
stored = serialization.to_bytes(OPTIMIZERS["adam"].init(params))

state = OPTIMIZERS[json.loads(config)["optimizer"]].init(params)
state = serialization.from_bytes(state, stored)
