"""A run that was stopped and resumed, against one that was not: bit by bit."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jax
import numpy as np

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from reference_trainer.train import loop
from reference_trainer.train.checkpoint import Checkpoints

SECONDS = {"cpu": 120}


def measure(size: Size) -> Iterator[Row]:
    half = size.pick(3, 10, 10)
    config = cases.small(depth=size.pick(1, 2, 2)).replace(
        model={"pattern": size.pick(("ssm",), ("ssm", "attention"), ("ssm",)), "dropout": 0.1},
        run={"steps": 2 * half, "eval_every": 2 * half, "save_every": half, "log_every": 1},
    )
    job = loop.prepare(config, cases.counting())
    with tempfile.TemporaryDirectory() as name:
        straight, resumed = Path(name, "straight"), Path(name, "resumed")
        whole = loop.train(job, straight).state
        shutil.copytree(straight / "checkpoints" / str(half), resumed / "checkpoints" / str(half))
        with Checkpoints(resumed / "checkpoints") as checkpoints:
            saved = checkpoints.read()
        joined = loop.train(job, resumed, saved).state
        losses = _losses(straight)[half:], _losses(resumed)
    pairs = zip(jax.tree.leaves(whole), jax.tree.leaves(joined), strict=True)
    unequal = sum(not np.array_equal(a, b) for a, b in pairs)
    note = f"of {len(jax.tree.leaves(whole))}, with dropout, {half} + {half} steps"
    yield Row("arrays of the state that differ after a resume", unequal, "", "== 0", note)
    different = sum(a != b for a, b in zip(*losses, strict=True))
    yield Row("losses that differ after a resume", different, "", "== 0", f"of {half}")


def _losses(folder: Path) -> list[float]:
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [found["loss"] for found in map(json.loads, lines) if "loss" in found]
