"""A training step of a small network: the gradient taken outside of jit, or inside."""

from __future__ import annotations

import jax

from benchmarks.prices import Step, _small


def bad() -> Step:
    weights, batch = _small.params(), _small.batch()
    return lambda: jax.block_until_ready(_small.step(weights, batch))


def good() -> Step:
    weights, batch, jitted = _small.params(), _small.batch(), jax.jit(_small.step)
    return lambda: jax.block_until_ready(jitted(weights, batch))
