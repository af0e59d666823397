"""Compiling a look-up in a table of 10 MB: the table captured, or given as an argument."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.prices import Step, _small

BYTES = "the program's text"


def _captured() -> Callable[[], Any]:
    table, rows = _small.batch(10_000, 256), jnp.arange(32)
    return lambda: jax.jit(lambda rows: table[rows]).lower(rows)


def _given() -> Callable[[], Any]:
    table, rows = _small.batch(10_000, 256), jnp.arange(32)
    return lambda: jax.jit(lambda table, rows: table[rows]).lower(table, rows)


def bad() -> Step:
    lower = _captured()
    return lambda: lower().compile()


def good() -> Step:
    lower = _given()
    return lambda: lower().compile()


def bad_bytes() -> int:
    return len(_captured()().as_text())


def good_bytes() -> int:
    return len(_given()().as_text())
