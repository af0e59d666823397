"""Passes an object of a class of your own to a jitted function.

JAX takes arrays, and trees of containers that it knows. A dataclass is one only after it was
registered.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp


@dataclass
class State:
    w: jax.Array


@jax.jit
def step(state):
    return state.w * 0.9


w = step(State(jnp.ones(3)))  # ! unregistered-pytree
