"""How much of the rows is text, in three ways to make them; and whether neighbours leak."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import jax
import numpy as np

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.data.batching import Batches
from reference_trainer.model import backbone, heads
from reference_trainer.sources import load

SECONDS = {"cpu": 120}
KINDS = {"pack": ">= 0.97", "bucket": ">= 0.8", "pad": ""}


def measure(size: Size) -> Iterator[Row]:
    config = cases.small(length=1024, batch=16).replace(data={"limit": size.pick(500, 0, 0)})
    corpus = load(config.data)
    for kind, target in KINDS.items():
        data = config.replace(data={"batching": kind}).data
        made = Batches(corpus.train, data, shuffle=True)
        note = f"{len(corpus.train)} functions of the standard library, lengths {made.lengths}"
        name = f"useful share of the steps, {kind}"
        yield Row(name, made.useful, "", size.pick("", target, target), note)
    yield Row("largest difference of the logits, packed and alone", _leak(), "", "<= 1e-5")


def _leak() -> float:
    """Of documents that share rows and of the same documents in rows of their own."""
    config = cases.small(batch=4).replace(model={"pattern": ("ssm", "attention")})
    documents = cases.counting(count=12, longest=30).train
    packed = Batches(documents, config.data, shuffle=False)[0]
    alone = Batches(documents, config.replace(data={"batching": "pad", "batch": 12}).data, False)[0]
    params = jax.jit(backbone.init, static_argnames="config")(jax.random.key(0), config=config)
    together, apart = _logits(params, packed, config), _logits(params, alone, config)
    found, right = _by_document(packed, together), _by_document(alone, apart)
    return max(float(np.abs(found[key] - right[key]).max()) for key in right)


@functools.partial(jax.jit, static_argnames="config")
def _forward(params: backbone.Params, batch: Batch, config: Config) -> jax.Array:
    return heads.logits(params, backbone.hidden(params, batch, config), config)[0]


def _logits(params: backbone.Params, batch: Batch, config: Config) -> np.ndarray:
    return np.asarray(_forward(params, batch, config=config))


def _by_document(batch: Batch, logits_BTV: np.ndarray) -> dict[bytes, np.ndarray]:
    """Each document's logits, by its own text."""
    found = {}
    for b, row_T in enumerate(batch.segments):
        for segment in range(1, int(row_T.max()) + 1):
            own_T = row_T == segment
            found[batch.inputs[b, own_T].tobytes()] = logits_BTV[b, own_T]
    return found
