"""Whether the model uses its context: its loss with the context in order, and shuffled."""

from __future__ import annotations

from collections.abc import Iterable

import jax
import numpy as np

from reference_trainer.data.batch import Batch
from reference_trainer.model.backbone import Params
from reference_trainer.train.loop import Job
from reference_trainer.train.step import evaluate

PROBES = 8  # batches that ask whether order matters


def context(job: Job, params: Params) -> tuple[float, float]:
    """Bits with the context in order and shuffled: the second is larger if context is used."""
    some = [job.held_out[i] for i in range(min(PROBES, len(job.held_out)))]
    plain, shuffled = (
        evaluate(job.eval_step, params, batches, job.mesh).bits for batches in probes(some)
    )
    if jax.process_index() == 0:
        print(f"context in order {plain:.3f} bits, shuffled {shuffled:.3f} bits")
    return plain, shuffled


def probes(batches: Iterable[Batch], seed: int = 0) -> tuple[list[Batch], list[Batch]]:
    """Two versions of one question: one target in each document, its context in order or shuffled.

    The input right before the target stays in its place, so that a model that looks no further
    back answers both equally well.
    """
    plain, shuffled = [], []
    rng = np.random.default_rng(seed)
    for batch in batches:
        inputs, weights = batch.inputs.copy(), np.zeros_like(batch.weights)
        for row, segments in enumerate(batch.segments):
            for segment in range(1, int(segments.max()) + 1):
                steps = np.flatnonzero(segments == segment)
                if len(steps) < 8:
                    continue
                at = int(rng.integers(len(steps) // 2, len(steps)))
                weights[row, steps[at]] = batch.weights[row, steps[at]]
                inputs[row, steps[:at]] = inputs[row, rng.permutation(steps[:at])]
        plain.append(batch._replace(weights=weights))
        shuffled.append(batch._replace(weights=weights, inputs=inputs))
    return plain, shuffled
