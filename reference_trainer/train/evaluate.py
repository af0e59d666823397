"""Held-out loss, and whether the model uses its context.

Wrong: `float(loss)` for each batch: the device waits for the host, the host for the device.
Right: the sums stay on the device until the last batch is on its way.
(gotcha: host-read-every-step)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from typing import NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh

from reference_trainer import parallel
from reference_trainer.data.batch import Batch
from reference_trainer.model.backbone import Params
from reference_trainer.model.heads import Sums
from reference_trainer.train.step import EvalStep


class Score(NamedTuple):
    """Of a set of targets."""

    bits: float  # per target
    accuracy: float  # share of targets that got the highest probability
    targets: int


def evaluate(
    step: EvalStep, params: Params, batches: Iterable[Batch], mesh: Mesh, limit: int = 0
) -> Score:
    """Over all batches, or the first `limit`."""
    total = jax.device_put(Sums.zero(), parallel.replicated(mesh))
    for batch in itertools.islice(batches, limit or None):
        total = step(params, parallel.place(batch, mesh), total)
    # gotcha: shows[host-read-every-step] one read, after the last batch was sent
    loss, correct, count = (float(value) for value in jax.device_get(total))
    count = max(count, 1.0)
    return Score(loss / count / math.log(2), correct / count, int(count))


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
