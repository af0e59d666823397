"""A step over a small network: the state becomes a tuple of itself each time, or stays as it is."""

from __future__ import annotations

from typing import Any

import jax

from benchmarks.prices import Step, _small


class _Run:
    def __init__(self, wraps: bool) -> None:
        self.state: Any = _small.params()
        self.wraps = wraps
        self.step = jax.jit(lambda state: jax.tree.map(lambda leaf: leaf * 0.999, state))

    def __call__(self) -> None:
        after = jax.block_until_ready(self.step(self.state))
        self.state = (after,) if self.wraps else after


def bad() -> Step:
    return _Run(wraps=True)


def good() -> Step:
    return _Run(wraps=False)
