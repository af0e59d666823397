"""A hundred steps whose activations (1 MB each) are kept, or their mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

BYTES = "live arrays after a hundred steps"
_SIDE = 512
Keep = Callable[[jax.Array], Any]


@jax.jit
def _step(w: jax.Array) -> tuple[jax.Array, jax.Array]:
    return w * 0.99, jnp.tanh(w)


def _kept(
    w: jax.Array, history: list[Any], keep: Callable[[jax.Array], Any]
) -> tuple[jax.Array, list[Any]]:
    w, activations = _step(w)
    # gotcha: allow[host-read-every-step] reading is the cure that is measured
    return w, [*history, keep(activations)]


def _live(keep: Keep) -> int:
    w, history = jnp.ones((_SIDE, _SIDE)), []
    for _ in range(100):
        w, history = _kept(w, history, keep)
    return sum(array.nbytes for array in jax.live_arrays())


def bad_bytes() -> int:
    return _live(lambda activations: activations)


def good_bytes() -> int:
    return _live(lambda activations: float(activations.mean()))
