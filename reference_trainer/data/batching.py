"""Rows of few fixed lengths, and a data order that is a function of one number.

Wrong: each batch padded to its own longest document, and a short one at the end of the epoch:
every new shape is compiled again. (gotchas: varying-shape, partial-last-batch)
Right: rows of a few lengths known beforehand; a batch that lacks rows gets empty ones.

Wrong: the order drawn from a generator that is carried along: a resumed run sees other data.
Right: batch `i` is a function of `i` and the seed.

Axes: N batches of an epoch, R rows of a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from reference_trainer.config import Data, DataError
from reference_trainer.data.batch import Batch, Document, empty

Row = list[int]  # the documents in it, by their numbers
EMPTY = -1  # in the place of a row's number


class Batches:
    """`batches[i]` is batch `i` of the run, always the same.

    An epoch is `len(batches)` batches and has each document once. With `shuffle` epochs go on
    without end, each with its own order; without, there is one. `rows` are this process's.
    """

    lengths: tuple[int, ...]  # of rows: a step is compiled once for each
    rows: dict[int, int]  # of an epoch, by length
    useful: float  # share of the steps of an epoch that have a target

    def __init__(
        self, documents: Sequence[Document], data: Data, shuffle: bool, rows: slice | None = None
    ) -> None:
        if not documents:
            raise DataError("no documents")
        self._data, self._shuffle, self._local = data, shuffle, rows or slice(None)
        self._documents = list(documents)
        if shuffle:  # neighbours are alike, and would share a row in each epoch
            order = np.random.default_rng(data.seed).permutation(len(documents))
            self._documents = [documents[i] for i in order]
        sizes = np.array([len(document.inputs) for document in self._documents])
        if sizes.max() > data.length:
            raise DataError(f"a document of {sizes.max()} steps, and data.length={data.length}")
        plan = PLANNERS[data.batching](sizes, data)
        self.lengths = tuple(plan)
        self._rows = [row for rows in plan.values() for row in rows]
        counts = [len(rows) for rows in plan.values()]
        self.rows = dict(zip(self.lengths, counts, strict=True))
        self._row_lengths = np.repeat(self.lengths, counts)
        self._groups = np.split(np.arange(len(self._rows)), np.cumsum(counts)[:-1])
        self._epoch = (0, self._draw(0))
        steps = self._row_lengths[self._epoch[1][:, 0]].sum() * data.batch
        self.useful = float(sizes.sum() / steps)

    def __len__(self) -> int:
        return len(self._epoch[1])

    def __getitem__(self, index: int) -> Batch:
        if index < 0 or not (self._shuffle or index < len(self)):
            raise IndexError(index)
        epoch, i = divmod(index, len(self))
        numbers_R = self._order(epoch)[i]
        length = int(self._row_lengths[numbers_R[0]])
        local_R = numbers_R[self._local]
        inputs_TF, targets_TH = self._documents[0]
        batch = empty(len(local_R), length, inputs_TF.shape[1], targets_TH.shape[1])
        for b, number in enumerate(local_R):
            if number != EMPTY:
                _fill(batch, b, [self._documents[i] for i in self._rows[number]])
        return batch

    def _order(self, epoch: int) -> np.ndarray:
        """NR, kept for one epoch. Set and read as one value: loaders ask from many threads."""
        kept = self._epoch
        if kept[0] != epoch:
            kept = self._epoch = (epoch, self._draw(epoch))
        return kept[1]

    def _draw(self, epoch: int) -> np.ndarray:
        """Numbers of rows, NR. A batch has rows of one length, and starts with a row."""
        random = np.random.default_rng((self._data.seed, epoch))
        groups = []
        for numbers in self._groups:
            shuffled = random.permutation(numbers) if self._shuffle else numbers
            # gotcha: shows[partial-last-batch] filled up with rows that weigh nothing
            missing = np.full(-len(numbers) % self._data.batch, EMPTY)
            groups.append(np.concatenate([shuffled, missing]).reshape(-1, self._data.batch))
        order_NR = np.concatenate(groups)
        return random.permutation(order_NR) if self._shuffle else order_NR


def _fill(batch: Batch, b: int, documents: Sequence[Document]) -> None:
    start = 0
    for segment, (inputs_TF, targets_TH) in enumerate(documents, 1):
        here = slice(start, start + len(inputs_TF))
        batch.inputs[b, here] = inputs_TF
        batch.targets[b, here] = targets_TH
        batch.segments[b, here] = segment
        batch.positions[b, here] = np.arange(len(inputs_TF))
        batch.weights[b, here] = 1
        start = here.stop


def _padded(sizes: np.ndarray, data: Data) -> dict[int, list[Row]]:
    return {data.length: [[number] for number in range(len(sizes))]}


def _bucketed(sizes: np.ndarray, data: Data) -> dict[int, list[Row]]:
    from reference_trainer.extras.buckets import bucket_lengths

    # gotcha: shows[varying-shape] a few lengths, known before the first step
    lengths = bucket_lengths(sizes, data.buckets, data.length)
    rows: dict[int, list[Row]] = {length: [] for length in lengths}
    for number, bucket in enumerate(np.searchsorted(lengths, sizes)):
        rows[lengths[bucket]].append([number])
    return rows


def _packed(sizes: np.ndarray, data: Data) -> dict[int, list[Row]]:
    return {data.length: best_fit(sizes.tolist(), data.length, data.bins)}


PLANNERS: dict[str, Callable[[np.ndarray, Data], dict[int, list[Row]]]] = {
    "pack": _packed,
    "bucket": _bucketed,
    "pad": _padded,
}


def best_fit(sizes: Sequence[int], length: int, bins: int) -> list[Row]:
    """Each size into the fullest of `bins` open rows that has room; if none has, one is closed."""
    closed: list[Row] = []
    rows: list[Row] = [[] for _ in range(bins)]
    room = [length] * bins
    for number, size in enumerate(sizes):
        fitting = [b for b in range(bins) if room[b] >= size]
        at = min(fitting or range(bins), key=room.__getitem__)
        if not fitting:
            closed.append(rows[at])
            rows[at], room[at] = [], length
        rows[at].append(number)
        room[at] -= size
    return closed + [row for row in rows if row]
