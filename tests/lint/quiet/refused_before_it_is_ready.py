"""A trace that fails is not kept: the question is asked again by the next call."""

from functools import partial

import jax


class Agent:
    def __init__(self, network):
        self.network = network
        self.trained = False

    def collect(self):
        self.trained = True

    @partial(jax.jit, static_argnums=0)
    def values(self, params, state):
        if not self.trained:
            raise RuntimeError("this agent has not been trained")
        return self.network(params, state)

    @partial(jax.jit, static_argnums=0)
    def policy(self, params, state):
        if self.trained:
            return self.network(params, state).argmax()
        else:
            raise RuntimeError("this agent has not been trained")
