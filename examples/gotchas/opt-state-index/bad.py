"""Reaches into the state of a chain of optimizers by position.

The state of `optax.chain` is a tuple with an entry for each part, and parts without a state (clipping)
have an empty one. The position changes with the chain.
"""

import jax.numpy as jnp
import optax

tx = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))
state = tx.init(jnp.ones(3))
momentum = state[0].mu  # ! opt-state-index
