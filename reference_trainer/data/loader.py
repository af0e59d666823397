"""Batches one after another, without end, and the state that resumes them exactly.

Wrong: a checkpoint without the place in the data: the resumed run starts the epoch again, and sees
some documents twice and others never.
Right: what comes next is one number, saved with the weights. Both loaders give the same batches
and write the same state, so that a run started with one goes on with the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference_trainer.config import Data
from reference_trainer.data.batch import Batch, Loader, State
from reference_trainer.data.batching import Batches


def loader(batches: Batches, data: Data, state: State | None = None, fused: int = 1) -> Loader:
    """From the first batch of a shuffled `Batches`, or from `state`; `fused` batches at a time."""
    kind = SimpleLoader
    if data.loader == "grain":  # imported here: it takes a second
        from reference_trainer.extras.grain_loader import GrainLoader as kind
    single = kind(batches, data, state or {"next_index": 0})
    if fused == 1:
        return single
    from reference_trainer.extras.stacked import Stacked

    return Stacked(single, fused)


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
