"""Numbers that a model is started with for their shape: none of them is in its parameters."""

import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.Sequential([nn.Dense(4), nn.Dropout(0.1, deterministic=True)])


def init_weights(key, shape):
    images = jax.random.normal(key, shape)
    params_key, dropout_key = jax.random.split(key)
    rngs = {"params": params_key, "dropout": dropout_key}
    return model.init(rngs, images)["params"]


def reset(key):
    return {"position": jax.random.normal(key, (3,))}, jnp.zeros(())


def start(key):
    observation, _ = reset(key)
    rows = jax.tree.map(lambda x: jnp.repeat(x[None], 8, axis=0), observation)
    example = (rows["position"],)
    key, init_key = jax.random.split(key)
    params = model.init(init_key, *example)
    return params, jax.random.normal(key, (3,))
