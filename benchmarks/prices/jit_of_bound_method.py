"""A training step of a small network: `jax.jit(self.step)` at each call, or a jitted function."""

from __future__ import annotations

import jax

from benchmarks.prices import Step, _small


class Trainer:
    def __init__(self) -> None:
        self.weights, self.batch = _small.params(), _small.batch()

    def step(self, params: _small.Params, x: jax.Array) -> _small.Params:
        return _small.step(params, x)

    def train(self) -> _small.Params:
        return jax.block_until_ready(jax.jit(self.step)(self.weights, self.batch))


def bad() -> Step:
    return Trainer().train


def good() -> Step:
    weights, batch, jitted = _small.params(), _small.batch(), jax.jit(_small.step)
    return lambda: jax.block_until_ready(jitted(weights, batch))
