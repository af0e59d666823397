"""Attributes of Linen modules, set where it works and where it does not."""

import equinox as eqx
import flax.linen as nn
import jax.numpy as jnp
from flax import nnx
from flax.linen import Module


class InCall(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Dense(2)(x)
        self.last = x  # ! linen-set-attr
        return x


class Below(InCall):
    def encode(this, x):
        this.code = x * 2  # ! linen-set-attr
        return this.code

    @nn.compact
    def decode(self, x):
        self.other = x  # ! linen-set-attr
        return self.encode(x)

    def rename(self, name):
        self.label = name
        return self


class Counted(Module):
    def setup(self):
        self.dense = nn.Dense(2)
        self.steps = 0

    def __call__(self, x):
        self.steps += 1  # ! linen-set-attr
        first, self.second = self.dense(x), x  # ! linen-set-attr
        return first


class SetUp(nn.Module):
    width: int = 2

    def setup(self):
        self.dense = nn.Dense(self.width)
        self._more()

    def _more(self):
        self.head = nn.Dense(1)

    def __post_init__(self):
        self.double = 2 * self.width
        super().__post_init__()

    def __call__(self, x):
        dense = self.dense
        return self.head(dense(x))


class Statistics(nn.Module):
    @nn.compact
    def __call__(self, x):
        mean = self.variable("batch_stats", "mean", jnp.zeros, (2,))
        mean.value = x.mean(0)
        hidden = nn.Dense(2)(x)
        self.sow("intermediates", "hidden", hidden)
        return hidden


class Kept(nn.Module):
    def setup(self):
        self.mean = self.variable("batch_stats", "mean", jnp.zeros, (2,))

    def __call__(self, x):
        self.mean.value = x.mean(0)
        object.__setattr__(self, "seen", True)
        return x


class Nnx(nnx.Module):
    def __call__(self, x):
        self.last = nnx.Intermediate(x)
        return x


class Equinox(eqx.Module):
    def __call__(self, x):
        return x


class Trainer:
    def __init__(self, model):
        self.model = model

    def step(self, x):
        self.last = self.model.apply({}, x)
