"""A linear problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Batch(NamedTuple):
    """Rows of inputs and what is to be predicted."""

    inputs: np.ndarray
    targets: np.ndarray


def problem(rows: int, features: int) -> Batch:
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(rows, features)).astype(np.float32)
    weights = rng.normal(size=(features, 1)).astype(np.float32)
    return Batch(inputs, inputs @ weights + 1)


def batch_at(problem: Batch, number: int, size: int) -> Batch:
    """Batch `number`, from the start again after the end."""
    first = number * size % len(problem.inputs)
    return Batch(
        problem.inputs[first : first + size],
        problem.targets[first : first + size],
    )
