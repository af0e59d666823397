"""Random streams are no variables of a linen module."""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Jitter(nn.Module):
    stream: str = "jitter"

    @nn.compact
    def __call__(self, x):
        if self.has_variable("rngs", self.stream):  # ! rng-asked-as-variable
            x = x + jax.random.normal(self.make_rng(self.stream), x.shape)
        key = self.get_variable("rngs", "drop")  # ! rng-asked-as-variable
        return x if key is None else x * jax.random.bernoulli(key, 0.5, x.shape)


class Masked(nn.Module):
    @nn.compact
    def __call__(self, x):
        if not self.has_variable("mask", "key"):  # ! rng-asked-as-variable
            return x
        return x * jax.random.bernoulli(self.make_rng("mask"), 0.5, x.shape)


class Normed(nn.Module):
    @nn.compact
    def __call__(self, x):
        training = self.has_rng("batch_stats")  # ! rng-asked-as-variable
        return nn.BatchNorm(use_running_average=not training)(x)


class Right(nn.Module):
    """Streams are streams, and collections are collections."""

    @nn.compact
    def __call__(self, x):
        if self.has_rng("jitter"):
            x = x + jax.random.normal(self.make_rng("jitter"), x.shape)
        return x


class Filled(nn.Module):
    @nn.compact
    def __call__(self, x):
        filled = self.has_variable("cache", "last")
        last = self.variable("cache", "last", jnp.zeros_like, x)
        if not filled:
            last.value = x
        if self.is_mutable_collection("batch_stats") and self.has_rng("params"):
            return x
        return x + self.get_variable("params", "bias", 0.0)


class Keeps(nn.Module):
    """A collection has the name of a stream: it is written."""

    @nn.compact
    def __call__(self, x):
        known = self.has_variable("noise", "last")
        last = self.variable("noise", "last", lambda: jax.random.normal(self.make_rng("noise"), x.shape))
        return x + last.value if known else x
