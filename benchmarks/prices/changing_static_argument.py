"""A training step of a small network: the step's number static, or an ordinary argument."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import jax

from benchmarks.prices import Step, _small


def _step(params: _small.Params, x: jax.Array, number: int) -> _small.Params:
    return _small.step(params, x * (1 + 0.1 * number))


def _run(jitted: Callable[..., object]) -> Step:
    weights, batch, numbers = _small.params(), _small.batch(), itertools.count()
    return lambda: jax.block_until_ready(jitted(weights, batch, next(numbers)))


def bad() -> Step:
    return _run(jax.jit(_step, static_argnums=2))


def good() -> Step:
    return _run(jax.jit(_step))
