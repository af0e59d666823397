"""Changes an nnx object inside of a jitted function that did not get it as an argument.

Batch statistics, dropout's random state and counters are updated in place. Inside of a trace that
is only possible for what came in as an argument of `nnx.jit`, which hands the changes back.
"""

import jax
import jax.numpy as jnp
from flax import nnx

norm = nnx.BatchNorm(3, rngs=nnx.Rngs(0))


@jax.jit
def step(batch):
    return norm(batch).sum()  # ! nnx-mutated-in-other-trace


total = step(jnp.ones((4, 3)))
