"""Noisy points of a curve."""

from __future__ import annotations

import numpy as np


class Points:
    """Points of a sine with noise, drawn from numpy's generator."""

    def __init__(self, count: int, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.x = rng.uniform(-3, 3, size=(count, 1)).astype(np.float32)
        self.y = (np.sin(self.x) + 0.1 * rng.normal(size=(count, 1))).astype(np.float32)

    def __len__(self) -> int:
        return len(self.x)

    def sample(self, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
        """A random batch."""
        rows = rng.integers(0, len(self.x), size)
        return self.x[rows], self.y[rows]
