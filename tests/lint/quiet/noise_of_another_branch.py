"""The noise drawn at the top is for the first two ways; the third draws its own."""

import jax
import jax.numpy as jnp


def smoothed(logits, key):
    return logits + jax.random.gumbel(key, logits.shape) / 2


def sample(logits, key, way):
    noise = jax.random.gumbel(key, logits.shape)
    if way == "hard":
        return jnp.argmax(logits + noise)
    elif way == "soft":
        return jax.nn.softmax(logits + noise)
    elif way == "smoothed":
        return smoothed(logits, key)
    raise ValueError(way)
