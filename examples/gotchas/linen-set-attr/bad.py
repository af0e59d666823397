"""Assigns to an attribute of a Linen module outside of `setup`.

A module is a description, frozen once it is set up; what a call computes is returned, or kept in a
collection of variables.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        self.hidden = nn.Dense(2)(x)  # ! linen-set-attr
        return nn.relu(self.hidden)


variables = Model().init(jax.random.key(0), jnp.ones((4, 3)))
