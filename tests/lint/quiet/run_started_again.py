"""A start that is compiled once for a run, and again where the run has broken down."""

import jax
import jax.numpy as jnp


class Experiment:
    def _init_state(self, key, example, params=None):
        length = example.shape[0]

        @jax.jit
        def init(key):
            weights = jax.random.normal(key, (length, 3)) if params is None else params
            return weights, jnp.zeros_like(weights)

        return init(key)

    def start(self, example):
        return self._init_state(jax.random.key(0), example)

    def train(self, batches, step):
        state = None
        for batch in batches:
            if state is None or not jnp.isfinite(state[0]).all():
                state = self.start(batch)
            state = step(state, batch)
        return state
