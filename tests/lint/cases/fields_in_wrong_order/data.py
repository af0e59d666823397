"""A file that uses no JAX, of a program that does."""

from typing import NamedTuple

import numpy as np


class Batch(NamedTuple):
    inputs: np.ndarray
    targets: np.ndarray


def rows(batch, first, last):
    inputs, targets = batch.inputs[first:last], batch.targets[first:last]
    return Batch(targets, inputs)  # ! fields-in-wrong-order


def all_rows(batch):
    inputs, targets = batch.inputs, batch.targets
    return Batch(inputs, targets)
