"""A hundred calls of a small jitted function: with an ordered callback in it, or without."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp

from benchmarks.prices import Step


def _calls(function: Callable[[jax.Array], object]) -> Step:
    w = jnp.ones((8, 8))

    def step() -> None:
        for _ in range(100):
            jax.block_until_ready(function(w))
        jax.effects_barrier()

    return step


def bad() -> Step:
    @jax.jit
    def scaled(w: jax.Array) -> jax.Array:
        jax.debug.callback(lambda total: None, w.sum(), ordered=True)
        return w * 0.99

    return _calls(scaled)


def good() -> Step:
    return _calls(jax.jit(lambda w: (w * 0.99, w.sum())))
