"""A jitted function of 1,000 rows: called for each of them and stacked, or mapped by `vmap`."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from benchmarks.prices import Step


@jax.jit
def _predict(weights: jax.Array, row: jax.Array) -> jax.Array:
    return jnp.tanh(weights @ row)


def _data() -> tuple[jax.Array, jax.Array]:
    keys = jax.random.split(jax.random.key(0))
    return jax.random.normal(keys[0], (8, 16)), jax.random.normal(keys[1], (1_000, 16))


def bad() -> Step:
    weights, rows = _data()
    return lambda: jax.block_until_ready(jnp.stack([_predict(weights, row) for row in rows]))


def good() -> Step:
    weights, rows = _data()
    mapped = jax.jit(jax.vmap(_predict, in_axes=(None, 0)))
    return lambda: jax.block_until_ready(mapped(weights, rows))
