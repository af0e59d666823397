"""One iteration of a loop that keeps a row: an array made longer, or one of full length filled."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp

from benchmarks.prices import Step


def bad() -> Step:
    kept = jnp.zeros((1, 64))

    def step() -> None:
        nonlocal kept
        kept = jax.block_until_ready(jnp.concatenate([kept, jnp.ones((1, 64))]))

    return step


def good() -> Step:
    kept, numbers = jnp.zeros((64, 64)), itertools.cycle(range(64))
    put = jax.jit(lambda kept, row, number: kept.at[number].set(row), donate_argnums=0)

    def step() -> None:
        nonlocal kept
        kept = jax.block_until_ready(put(kept, jnp.ones(64), next(numbers)))

    return step
