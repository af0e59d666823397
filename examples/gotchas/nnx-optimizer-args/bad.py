"""Makes or updates an `nnx.Optimizer` as it was done before Flax 0.11.

It no longer holds the model: it wants to be told which variables are trained (`wrt`), and gets the
model at each update.
"""

import optax
from flax import nnx

model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
optimizer = nnx.Optimizer(model, optax.adam(1e-3))  # ! nnx-optimizer-args
