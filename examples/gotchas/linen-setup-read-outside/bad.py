"""Reads a layer of a Linen module outside of `init` and `apply`.

What `setup` makes is there only while the module is bound to its variables. Parameters are in the dict
that `init` gave; a part of a model is run with `apply(..., method=...)`.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    def setup(self):
        self.dense = nn.Dense(3)

    def __call__(self, x):
        return nn.relu(self.dense(x))


model = Model()
variables = model.init(jax.random.key(0), jnp.ones((2, 4)))
hidden = model.dense  # ! linen-setup-read-outside
