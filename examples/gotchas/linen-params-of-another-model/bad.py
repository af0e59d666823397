"""Applies a Linen model to parameters that were made by another.

The widths or the names of the layers differ: a changed configuration, an input of another width, or a
layer made under an `if`, which shifts the numbers in the names of those after it (`Dense_0`,
`Dense_1`). Where shapes happen to agree, the wrong layer is used in silence, and surplus parameters
are not reported.
"""

import flax.linen as nn
import jax
import jax.numpy as jnp

model = nn.Dense(3)
variables = model.init(jax.random.key(0), jnp.ones((2, 4)))
out = model.apply(variables, jnp.ones((2, 5)))  # ! linen-params-of-another-model
