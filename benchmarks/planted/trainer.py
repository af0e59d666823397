"""Runs the reference trainer, or a planted copy of it, on a few rows of counting numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def main() -> dict[str, Any]:
    import jax

    from reference_trainer.train import loop

    result = loop.train(loop.prepare(config(), corpus()), Path("run"))
    sizes = [
        float(abs(leaf).sum()) for leaf in jax.device_get(jax.tree.leaves(result.state.params))
    ]
    assert result.score
    return {
        "bits": result.score.bits,
        "params": sum(sizes),
        "programs": result.programs,
        "skipped": int(result.state.skipped),
    }


def config() -> Any:
    from reference_trainer.config import Compute, Config, Data, Model, Optimizer, Run

    return Config(
        model=Model(features=(64,), heads=(64,), width=16, depth=2, head_width=8, dropout=0.1),
        compute=Compute(chunk=16),
        data=Data(source="files", paths=("planted",), length=64, batch=4, loader="simple"),
        optimizer=Optimizer(warmup=2, accumulate=2),
        run=Run(steps=6, eval_every=3, save_every=3, log_every=1),
    )


def corpus() -> Any:
    from reference_trainer.data.batch import Corpus, Document

    rng = np.random.default_rng(0)
    documents = []
    for length in rng.integers(5, 60, 61):
        counting_T1 = (rng.integers(1, 64) + np.arange(length + 1))[:, None] % 64
        counting_T1 = counting_T1.astype(np.int32)
        documents.append(Document(counting_T1[:-1], counting_T1[1:]))
    return Corpus(documents[:48], documents[48:], "number", {"digest": "planted"})
