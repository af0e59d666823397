"""Attributes of static objects."""

from functools import partial

import jax
import jax.numpy as jnp


class Trained:
    def __init__(self, weights):
        self.weights = weights
        self.bias = 0.0
        self.discount = 0.9

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x * self.weights + self.bias + self.discount  # ! stale-self, stale-self

    def fit(self, x):
        self.weights = self.weights - x.mean()
        self.bias += 1.0


class Configured:
    def __init__(self, size):
        self.setup(size)

    def setup(self, size):
        self.size = size

    @partial(jax.jit, static_argnums=0)
    def predict(self, x):
        return x * self.size


class JitsAgain:
    def __init__(self):
        self.scale = 1.0
        self.step = jax.jit(self._step)

    def _step(self, x):
        return x * self.scale

    def rescale(self, scale):
        self.scale = scale
        self.step = jax.jit(lambda x: self._step(x))


class Hashed:
    def __init__(self):
        self.scale = 1.0

    def __hash__(self):
        return hash(self.scale)

    def __eq__(self, other):
        return self.scale == other.scale

    @partial(jax.jit, static_argnums=0)
    def step(self, x):
        return x * self.scale

    def rescale(self, scale):
        self.scale = scale


class Eager:
    def step(self, x):
        return x * self.scale

    def rescale(self, scale):
        self.scale = jnp.asarray(scale)
