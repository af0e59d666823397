"""Blobs that stand for digits, cut into whole batches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

FEATURES = 16
CLASSES = 4


def make(seed: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Images as rows of features, and their labels."""
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(0).normal(size=(CLASSES, FEATURES))
    labels = rng.integers(0, CLASSES, count)
    images = centers[labels] + 0.5 * rng.normal(size=(count, FEATURES))
    return images.astype(np.float32), labels.astype(np.int32)


def normalise(images: np.ndarray) -> np.ndarray:
    """Mean 0 and deviation 1, feature by feature."""
    return (images - images.mean(0)) / (images.std(0) + 1e-6)


def batches(
    images: np.ndarray, labels: np.ndarray, size: int, seed: int
) -> Iterator[dict[str, np.ndarray]]:
    """One epoch in random order, without the remainder."""
    order = np.random.default_rng(seed).permutation(len(images))
    for start in range(0, len(order) - size + 1, size):
        rows = order[start : start + size]
        yield {"image": images[rows], "label": labels[rows]}
