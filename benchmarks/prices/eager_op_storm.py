"""Discounted sums of a new number of rewards: eager operations, or padded and jitted."""

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.prices import Step


def _sums(rewards: jax.Array | np.ndarray) -> jax.Array:
    return jnp.cumsum(rewards * 0.99)[-1]


def bad() -> Step:
    lengths = itertools.count(20)
    return lambda: jax.block_until_ready(_sums(np.ones(next(lengths), np.float32)))


def good() -> Step:
    lengths, jitted = itertools.cycle(range(20, 64)), jax.jit(_sums)

    def step() -> object:
        rewards = np.zeros(64, np.float32)
        rewards[: next(lengths)] = 1.0
        return jax.block_until_ready(jitted(rewards))

    return step
