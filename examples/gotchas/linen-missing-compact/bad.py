"""Makes a Linen layer in a method that is neither `setup` nor `@nn.compact`.

Layers are given their names, and so their parameters, in `setup` or in the one method that is marked
`@nn.compact`.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp


class Model(nn.Module):
    def __call__(self, x):
        return nn.Dense(3)(x)  # ! linen-missing-compact


variables = Model().init(jax.random.key(0), jnp.ones((2, 4)))
