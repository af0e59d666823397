"""Several data sets in given shares, each batch from one of them: a function of the batch's number.

Wrong: a data set drawn at random for each batch, from a generator that a resumed run does not have;
or all files read one after another, so that the last one is what the model remembers.
Right: in every cycle of batches each data set has its share, in an order that the seed gives. The
state of a loader stays one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from reference_trainer.config import Data
from reference_trainer.data.batch import Batch, Corpus
from reference_trainer.data.batching import Batches

CYCLE = 100  # batches: shares are rounded to hundredths


def training(corpus: Corpus, data: Data, rows: slice) -> Batches:
    """The batches of a run: a mixture where `data.weights` asks for one."""
    if data.weights:
        return Mixture(corpus, data, rows)
    return Batches(corpus.train, data, shuffle=True, rows=rows)


class Mixture(Batches):
    """As `Batches`, of the training documents of all paths, by `data.weights`.

    A data set begins its next epoch when it is through, whatever the others do.
    """

    def __init__(self, corpus: Corpus, data: Data, rows: slice) -> None:
        ends = accumulate(corpus.groups, initial=0)
        parts = [corpus.train[first:last] for first, last in pairwise(ends)]
        self._parts = [Batches(part, data, shuffle=True, rows=rows) for part in parts]
        self._counts = shares(data.weights)
        names = np.repeat(np.arange(len(parts)), self._counts)
        self._cycle = np.random.default_rng(data.seed).permutation(names)
        self.lengths = tuple(sorted({length for part in self._parts for length in part.lengths}))
        self.rows = {
            length: sum(part.rows.get(length, 0) for part in self._parts) for length in self.lengths
        }
        useful = [part.useful for part in self._parts]
        self.useful = float(np.average(useful, weights=self._counts))

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __getitem__(self, index: int) -> Batch:
        cycle, i = divmod(index, CYCLE)
        name = self._cycle[i]
        before = int((self._cycle[:i] == name).sum())
        return self._parts[name][cycle * int(self._counts[name]) + before]


def shares(weights: Sequence[float]) -> np.ndarray:
    """Batches of each data set in a cycle, at least one: rounded so that they add up."""
    exact = np.array(weights) / sum(weights) * CYCLE
    counts = np.maximum(np.floor(exact), 1).astype(int)
    while counts.sum() < CYCLE:
        counts[np.argmax(exact - counts)] += 1
    while counts.sum() > CYCLE:
        # One that has more than one, and of these one that is above its share, or least below.
        counts[np.argmin(np.where(counts > 1, exact - counts, np.inf))] -= 1
    return counts
