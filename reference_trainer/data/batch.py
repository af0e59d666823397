"""The one shape of a batch: everything a step needs comes in as an argument.

Wrong: a step that reads the batch, a mask or a length from the scope around it: the values are
compiled in, as constants. (gotchas: jit-captures-batch, large-constant-captured)
Right: arrays, with weights that say which targets count. A padded step and a row that only fills
up the last batch differ in `weights` alone: one compiled program serves them all.
(gotchas: varying-shape, partial-last-batch)

The suffix of an array names its axes: B rows, T steps, F features, H heads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

Array = Any  # numpy on the host, jax.Array on the device


class Batch(NamedTuple):
    """Rows of a fixed length. Segment 0 is padding; its weights are 0."""

    inputs: Array  # int32 BTF: what is seen at each step
    targets: Array  # int32 BTH: what is to be predicted from it and from earlier steps
    segments: Array  # int32 BT: the number of the document in its row, from 1; 0 is padding
    positions: Array  # int32 BT: steps since the start of the document
    weights: Array  # float32 BT: 1 where the targets count, 0 where they do not


class Document(NamedTuple):
    """A sequence of at most a row's length: TF and TH, of the smallest type that holds the data."""

    inputs: np.ndarray
    targets: np.ndarray


class Corpus(NamedTuple):
    """What a data set gives: two lists from different files, and what it is."""

    train: list[Document]
    held_out: list[Document]
    unit: str  # what one target is: "byte", "voice-frame"
    about: dict[str, Any]  # plain values for the checkpoint: source, versions, digest
    groups: tuple[int, ...] = ()  # training documents of each path


State = dict[str, Any]  # of a loader: plain values


class Loader(Iterator[Batch], Protocol):
    """The batches of a run."""

    def state(self) -> State:
        """What gives the batches that come next, if a loader is made with it."""
        ...


def empty(rows: int, length: int, features: int, heads: int) -> Batch:
    """All padding."""
    shape = (rows, length)
    inputs, targets = (np.zeros((*shape, size), np.int32) for size in (features, heads))
    segments, positions = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    return Batch(inputs, targets, segments, positions, np.zeros(shape, np.float32))
