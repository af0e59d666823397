"""200 rows of 128 numbers: each set into an array on the device, or all of them stacked."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from benchmarks.prices import Step

ROWS = 200


def _rows() -> list[jax.Array]:
    return [jnp.full(128, float(i)) for i in range(ROWS)]


def bad() -> Step:
    rows = _rows()

    def step() -> jax.Array:
        table = jnp.zeros((ROWS, 128))
        for i, row in enumerate(rows):
            table = table.at[i].set(row)  # gotcha: allow[eager-at-loop] what is measured
        return jax.block_until_ready(table)

    return step


def good() -> Step:
    rows = _rows()
    return lambda: jax.block_until_ready(jnp.stack(rows))
