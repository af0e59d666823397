"""Running sums of 1000 numbers by `lax.scan` with a local body: outside of jit, or inside."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from benchmarks.prices import Step, _small


def sums(x: jax.Array) -> jax.Array:
    def body(total: jax.Array, value: jax.Array) -> tuple[jax.Array, jax.Array]:
        return total + value, total

    return jax.lax.scan(body, jnp.zeros(()), x)[1]


def bad() -> Step:
    x = _small.batch(1000, 1)[:, 0]
    return lambda: jax.block_until_ready(sums(x))


def good() -> Step:
    x, jitted = _small.batch(1000, 1)[:, 0], jax.jit(sums)
    return lambda: jax.block_until_ready(jitted(x))
