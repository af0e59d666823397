"""A training step of a small network: the batch captured by a jitted closure, or an argument."""

from __future__ import annotations

import jax

from benchmarks.prices import Step, _small


def bad() -> Step:
    weights, batches = _small.params(), _small.batches()

    def step() -> object:
        batch = next(batches)
        return jax.block_until_ready(jax.jit(lambda params: _small.step(params, batch))(weights))

    return step


def good() -> Step:
    weights, batches, jitted = _small.params(), _small.batches(), jax.jit(_small.step)
    return lambda: jax.block_until_ready(jitted(weights, next(batches)))
