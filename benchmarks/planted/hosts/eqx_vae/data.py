"""Patterns of bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

SIZE = 12


def patterns(count: int, seed: int = 0) -> np.ndarray:
    """Rows that repeat a short random pattern."""
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 2, (count, SIZE // 3))
    return np.tile(base, (1, 3)).astype(np.float32)


def shuffled(rows: np.ndarray, size: int, seed: int) -> Iterator[np.ndarray]:
    """Whole batches in random order."""
    order = np.random.default_rng(seed).permutation(len(rows))
    for i in range(len(order) // size):
        yield rows[order[i * size : (i + 1) * size]]
