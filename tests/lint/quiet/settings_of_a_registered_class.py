"""What a registered class keeps as auxiliary data is no child, and is never traced."""

from functools import partial

import jax
import jax.numpy as jnp
from jax.tree_util import register_pytree_node_class


class Module:
    def params(self):
        return []

    def aux_data(self):
        return None

    def tree_flatten(self):
        return self.params(), self.aux_data()

    @classmethod
    def tree_unflatten(cls, aux_data, children):
        return cls(*children, aux_data)


@register_pytree_node_class
class Dropout(Module):
    def __init__(self, rate: jax.Array) -> None:
        self.rate = rate

    def aux_data(self):
        return self.rate

    @partial(jax.jit, static_argnames=["train"])
    def __call__(self, x: jax.Array, train: bool, key: jax.Array) -> jax.Array:
        if self.rate == 0.0 or not train:
            return x
        keep = jax.random.bernoulli(key, 1 - self.rate, x.shape)
        return jnp.where(keep, x / (1 - self.rate), 0.0)
