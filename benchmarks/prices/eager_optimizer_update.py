"""A training step with Adam: gradients jitted and the update eager, or all in one program."""

from __future__ import annotations

import jax
import optax

from benchmarks.prices import Step, _small


def bad() -> Step:
    weights, batch, optimizer = _small.params(), _small.batch(), optax.adam(1e-3)
    state, gradient = optimizer.init(weights), jax.jit(jax.grad(_small.loss))

    def step() -> object:
        updates, after = optimizer.update(gradient(weights, batch), state, weights)
        return jax.block_until_ready((optax.apply_updates(weights, updates), after))

    return step


def good() -> Step:
    weights, batch, optimizer = _small.params(), _small.batch(), optax.adam(1e-3)
    state = optimizer.init(weights)

    @jax.jit
    def jitted(params: _small.Params, state: optax.OptState, x: jax.Array):
        updates, after = optimizer.update(jax.grad(_small.loss)(params, x), state, params)
        return optax.apply_updates(params, updates), after

    return lambda: jax.block_until_ready(jitted(weights, state, batch))
