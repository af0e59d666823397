"""The first epoch of 10 batches: the last of 7 rows, or padded to 32 like the others."""

from __future__ import annotations

import jax

from benchmarks.prices import Step, _small


def _epoch(last: int) -> Step:
    weights = _small.params()
    batches = [_small.batch(32)] * 9 + [_small.batch(last)]

    def epoch() -> None:
        jitted = jax.jit(lambda params, x: _small.step(params, x))
        for batch in batches:
            jax.block_until_ready(jitted(weights, batch))

    return epoch


def bad() -> Step:
    return _epoch(7)


def good() -> Step:
    return _epoch(32)
