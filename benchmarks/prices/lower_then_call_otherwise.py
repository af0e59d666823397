"""A program compiled ahead of time, and called: with an argument by name, or as it was compiled."""

from __future__ import annotations

from functools import partial

import jax

from benchmarks.prices import Step, _small


def bad() -> Step:
    return partial(_compile_and_call, by_name=True)


def good() -> Step:
    return partial(_compile_and_call, by_name=False)


def _compile_and_call(by_name: bool) -> None:
    weights, batch = _small.params(), _small.batch()
    step = jax.jit(lambda weights, x: _small.step(weights, x))
    step.lower(weights, batch).compile()
    jax.block_until_ready(step(weights, x=batch) if by_name else step(weights, batch))
