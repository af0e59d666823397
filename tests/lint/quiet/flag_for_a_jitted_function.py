"""A flag that is counted with, handed on from one jitted function to another."""

from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnums=0)
def best_or_drawn(network, params, key, eval_mode=False):
    best, spread = network.apply(params)
    return best + (1 - eval_mode) * spread * jax.random.normal(key, best.shape)


@partial(jax.jit, static_argnames=["network"])
def sometimes_random(network, params, key, epsilon, eval_mode=False):
    key, other, third = jax.random.split(key, 3)
    epsilon = jnp.where(eval_mode, 0.0, epsilon)
    action = best_or_drawn(network, params, key, eval_mode=eval_mode)
    drawn = jax.random.uniform(third, action.shape)
    return jnp.where(jax.random.uniform(other) < epsilon, drawn, action)


class Agent:
    def __init__(self, network, params):
        self.network, self.params = network, params
        self.eval_mode = False

    def act(self, key):
        return sometimes_random(self.network, self.params, key, 0.1, eval_mode=self.eval_mode)
