"""A training step of a small network: jitted as a new lambda each time, or once."""

from __future__ import annotations

import jax

from benchmarks.prices import Step, _small


def bad() -> Step:
    weights, batch = _small.params(), _small.batch()

    def step() -> object:
        return jax.block_until_ready(jax.jit(lambda p, x: _small.step(p, x))(weights, batch))

    return step


def good() -> Step:
    weights, batch, jitted = _small.params(), _small.batch(), jax.jit(_small.step)
    return lambda: jax.block_until_ready(jitted(weights, batch))
