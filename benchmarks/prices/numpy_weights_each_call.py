"""A prediction with 16 MB of weights: as numpy arrays, or put on the device once."""

from __future__ import annotations

import jax
import numpy as np

from benchmarks.prices import Step

_SHAPE = (2048, 2048)


@jax.jit
def _predict(weights: jax.Array, rows: jax.Array) -> jax.Array:
    return weights[rows]


def bad() -> Step:
    weights, rows = np.ones(_SHAPE, np.float32), np.arange(8)
    return lambda: jax.block_until_ready(_predict(weights, rows))


def good() -> Step:
    weights, rows = jax.device_put(np.ones(_SHAPE, np.float32)), np.arange(8)
    return lambda: jax.block_until_ready(_predict(weights, rows))
