"""Batches one after another, without end, and the state that resumes them exactly.

Wrong: a checkpoint without the place in the data: the resumed run starts the epoch again, and sees
some documents twice and others never.
Right: what comes next is one number, saved with the weights. Both loaders give the same batches
and write the same state, so that a run started with one goes on with the other.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Batch
from reference_trainer.data.batching import Batches

State = dict[str, Any]  # plain values


class Loader(Iterator[Batch], Protocol):
    """The batches of a run."""

    def state(self) -> State:
        """What gives the batches that come next, if a loader is made with it."""
        ...


def loader(batches: Batches, data: Data, state: State | None = None, fused: int = 1) -> Loader:
    """From the first batch of a shuffled `Batches`, or from where `state` was taken; DataError.

    With `fused` so many batches at a time, stacked.
    """
    check(data)
    kind = SimpleLoader
    if data.loader == "grain":  # imported here: it takes a second
        from reference_trainer.extras.grain_loader import GrainLoader as kind
    one = kind(batches, data, state or {"next_index": 0})
    return one if fused == 1 else Stacked(one, fused)


def check(data: Data) -> None:
    """DataError where the loader's package is not installed; nothing is imported."""
    if data.loader == "grain" and importlib.util.find_spec("grain") is None:
        raise DataError("data.loader=grain: pip install grain; or data.loader=simple")


class SimpleLoader(Iterator[Batch]):
    """No package and no thread."""

    def __init__(self, batches: Batches, data: Data, state: State) -> None:
        self._batches = batches
        self._next: int = state["next_index"]

    def __next__(self) -> Batch:
        batch = self._batches[self._next]
        self._next += 1
        return batch

    def state(self) -> State:
        return {"next_index": self._next}


class Stacked(Iterator[Batch]):
    """Batches of another loader, `count` at a time."""

    def __init__(self, loader: Loader, count: int) -> None:
        self._loader, self._count = loader, count
        self.state = loader.state

    def __next__(self) -> Batch:
        batches = [next(self._loader) for _ in range(self._count)]
        return Batch(*map(np.stack, zip(*batches, strict=True)))
