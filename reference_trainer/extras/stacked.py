"""Several batches at a time, for several steps in one call (`run.fused`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reference_trainer.data.batch import Batch, Loader


class Stacked(Iterator[Batch]):
    """Batches of another loader, `count` at a time."""

    def __init__(self, loader: Loader, count: int) -> None:
        self._loader, self._count = loader, count
        self.state = loader.state

    def __next__(self) -> Batch:
        batches = [next(self._loader) for _ in range(self._count)]
        return Batch(*map(np.stack, zip(*batches, strict=True)))
