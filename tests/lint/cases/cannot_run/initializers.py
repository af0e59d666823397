"""Initializers of one's own: Flax calls them with a key, a shape and a type."""

import jax.numpy as jnp
from flax import linen as nn
from flax import nnx
from flax.linen import initializers


def zeros(key, shape, dtype=jnp.float32):
    return jnp.zeros(shape, dtype)


def scaled(scale):
    def init(key, shape):
        return scale * jnp.ones(shape)

    return init


class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        short = lambda key, shape: jnp.zeros(shape)
        x = nn.Dense(8, bias_init=short)(x)  # ! cannot-run
        x = nn.Conv(8, (3,), kernel_init=scaled(2.0))(x)  # ! cannot-run
        x = nn.Dense(8, bias_init=zeros, kernel_init=initializers.normal(0.1))(x)
        return nn.Dense(8, bias_init=lambda *given: jnp.zeros(given[1]))(x)


class Table(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Embed(8, 4, embedding_init=lambda key: key * 2, rngs=rngs)  # ! cannot-run
        self.second = nnx.Linear(4, 4, bias_init=zeros, rngs=rngs)

    def __call__(self, x):
        return self.second(self.first(x))


table = Table(nnx.Rngs(0))
