"""A training step of a small network: batches of ever other lengths, or all padded to 64 rows."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.prices import Step, _small

_ROWS = np.ones((100, 64), np.float32)


def bad() -> Step:
    weights, jitted, lengths = _small.params(), jax.jit(_small.step), itertools.count(20)
    return lambda: jax.block_until_ready(jitted(weights, _ROWS[: next(lengths)]))


def _loss(params: _small.Params, x: jax.Array, is_real: jax.Array) -> jax.Array:
    return jnp.mean(_small.predict(params, x) ** 2, where=is_real[:, None])


@jax.jit
def _step(params: _small.Params, x: jax.Array, is_real: jax.Array) -> _small.Params:
    gradients = jax.grad(_loss)(params, x, is_real)
    return jax.tree.map(lambda p, g: p - _small.RATE * g, params, gradients)


def good() -> Step:
    weights, lengths = _small.params(), itertools.cycle(range(20, 64))

    def step() -> object:
        is_real = np.arange(64) < next(lengths)
        return jax.block_until_ready(_step(weights, _ROWS[:64], is_real))

    return step
