"""How much of the rows is text, in three ways to make them; and whether neighbours leak."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import numpy as np

from reference_trainer.bench import cases
from reference_trainer.bench.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.data.batching import Batches
from reference_trainer.data.corpus import load
from reference_trainer.model import backbone, heads

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
    found = {
        _key(packed, b, s): together[b, packed.segments[b] == s] for b, s in _documents(packed)
    }
    own = {_key(alone, b, s): apart[b, alone.segments[b] == s] for b, s in _documents(alone)}
    return max(float(np.abs(found[key] - own[key]).max()) for key in found)


def _logits(params: backbone.Params, batch: Batch, config: Config) -> np.ndarray:
    @jax.jit
    def forward(params: backbone.Params, batch: Batch) -> jax.Array:
        return heads.logits(params, backbone.hidden(params, batch, config), config)[0]

    return np.asarray(forward(params, batch))


def _documents(batch: Batch) -> list[tuple[int, int]]:
    """Row and segment of each."""
    rows = enumerate(batch.segments)
    return [(b, s) for b, row_T in rows for s in range(1, int(row_T.max()) + 1)]


def _key(batch: Batch, b: int, segment: int) -> bytes:
    return batch.inputs[b, batch.segments[b] == segment].tobytes()
