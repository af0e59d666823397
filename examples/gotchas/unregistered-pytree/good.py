from dataclasses import dataclass

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclass
class State:
    w: jax.Array


@jax.jit
def step(state):
    return state.w * 0.9


w = step(State(jnp.ones(3)))
