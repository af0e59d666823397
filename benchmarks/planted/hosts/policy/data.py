"""A walk on a line, and a buffer of fixed size."""

from __future__ import annotations

import numpy as np

LENGTH = 12


class Walk:
    """Start in the middle; the right end pays."""

    def reset(self) -> np.ndarray:
        self.place, self.time = 0.0, 0
        return self.seen()

    def seen(self) -> np.ndarray:
        return np.array([self.place, self.time / LENGTH], np.float32)

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        self.place += 0.2 if action == 1 else -0.2
        self.time += 1
        done = self.time >= LENGTH or abs(self.place) >= 1
        return self.seen(), float(self.place), done


class Episode:
    """What happened, padded to the longest possible episode."""

    def __init__(self) -> None:
        self.seen = np.zeros((LENGTH, 2), np.float32)
        self.actions = np.zeros(LENGTH, np.int32)
        self.rewards = np.zeros(LENGTH, np.float32)
        self.mask = np.zeros(LENGTH, np.float32)
        self.size = 0

    def add(self, seen: np.ndarray, action: int, reward: float) -> None:
        i = self.size
        self.seen[i], self.actions[i], self.rewards[i], self.mask[i] = seen, action, reward, 1
        self.size += 1
