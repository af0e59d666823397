"""Grain: batches are made by threads, for data that is slow to read or to decode."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import grain

from reference_trainer.config import Data
from reference_trainer.data.batch import Batch, State
from reference_trainer.data.batching import Batches


class GrainLoader(Iterator[Batch]):
    """The same batches and states as `SimpleLoader`."""

    def __init__(self, batches: Batches, data: Data, state: State) -> None:
        threads = grain.ReadOptions(num_threads=data.prefetch, prefetch_buffer_size=data.prefetch)
        indices = grain.MapDataset.range(sys.maxsize)  # an index beyond the epoch is in the next
        self._iterator = iter(indices.map(batches.__getitem__).to_iter_dataset(threads))
        self._iterator.set_state(state)

    def __next__(self) -> Batch:
        return next(self._iterator)

    def state(self) -> State:
        return dict(self._iterator.get_state())
