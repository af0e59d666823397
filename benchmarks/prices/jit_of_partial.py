"""A training step of a small network: a new partial jitted at each call, or jitted once."""

from __future__ import annotations

from functools import partial

import jax

from benchmarks.prices import Step, _small


def bad() -> Step:
    weights, batch = _small.params(), _small.batch()
    return lambda: jax.block_until_ready(jax.jit(partial(_small.step, x=batch))(weights))


def good() -> Step:
    weights, batch, jitted = _small.params(), _small.batch(), jax.jit(_small.step)
    return lambda: jax.block_until_ready(jitted(weights, batch))
