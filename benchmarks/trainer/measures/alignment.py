"""Matrices whose sizes are no multiple of 8, against slightly larger ones that are."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp

from benchmarks.trainer import clock
from benchmarks.trainer.row import Row, Size

SECONDS = {"cpu": 120, "gpu": 60}
TIMES = 10


def measure(size: Size) -> Iterator[Row]:
    rows = size.pick(64, 1024, 65_536)
    pairs = size.pick([(31, 32)], [(287, 288), (574, 576)], [(287, 288), (574, 576)])
    for dtype in size.pick(("float32",), ("float32",), ("float32", "bfloat16")):
        for odd, even in pairs:
            calls = {
                str(width): clock.repeated(Products(rows, width, dtype), TIMES)
                for width in (odd, even)
            }
            best = clock.best(calls, size.rounds)
            name = f"time of two matrices and a GELU, {odd} / {even}, {dtype}"
            yield Row(name, best[str(odd)] / best[str(even)], "x", note="with the gradient")


class Products:
    """The gradient of an MLP with a hidden width of four times its width."""

    def __init__(self, rows: int, width: int, dtype: str):
        shapes = ((rows, width), (width, 4 * width), (4 * width, width))
        keys = jax.random.split(jax.random.key(0), len(shapes))
        self.arrays = [
            jax.random.normal(key, shape, dtype) for key, shape in zip(keys, shapes, strict=True)
        ]

    def __call__(self) -> tuple[jax.Array, ...]:
        return _gradient(*self.arrays)


@jax.jit
def _gradient(*arrays: jax.Array) -> tuple[jax.Array, ...]:
    return jax.grad(_loss, argnums=(0, 1, 2))(*arrays)


def _loss(x_BD: jax.Array, up_DF: jax.Array, down_FD: jax.Array) -> jax.Array:
    return jnp.sum((jax.nn.gelu(x_BD @ up_DF) @ down_FD).astype(jnp.float32) ** 2)
