"""Programs compiled in a run with evaluation, a ragged last batch, a save and a restore: exact."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from reference_trainer import metrics
from reference_trainer.train import loop
from reference_trainer.train.checkpoint import Checkpoints

SECONDS = {"cpu": 120}


class Counted:
    """A compiled function, and the compiles that happened in its calls."""

    def __init__(self, call: Callable[..., Any], compiles: metrics.Compiles):
        self.call, self.compiles, self.count = call, compiles, 0

    def __call__(self, *args: Any) -> Any:
        before = self.compiles.count
        result = self.call(*args)
        self.count += self.compiles.count - before
        return result


def measure(size: Size) -> Iterator[Row]:
    steps = size.pick(8, 16, 16)
    config = cases.small(depth=size.pick(1, 2, 2)).replace(
        data={"batching": "bucket", "buckets": size.pick(2, 3, 3)},
        run={"steps": steps, "eval_every": steps // 2, "save_every": steps // 2},
    )
    job = loop.prepare(config, cases.counting())
    compiles = metrics.Compiles()
    step, evaluation = Counted(job.step, compiles), Counted(job.eval_step, compiles)
    job = dataclasses.replace(job, step=step, eval_step=evaluation)
    with tempfile.TemporaryDirectory() as folder:
        result = loop.train(job, Path(folder, "first"))
        trained, evaluated, all_ = step.count, evaluation.count, compiles.count
        _again(job, Path(folder, "first"), Path(folder, "second"), steps // 2)
    yield Row("compiled training steps", trained, "", f"== {result.programs}", "row lengths seen")
    lengths = len(job.held_out.lengths)
    yield Row("compiled evaluation steps", evaluated, "", f"== {lengths}", "row lengths held out")
    after = step.count - trained + evaluation.count - evaluated
    # The second run has the second half of the first one's batches: no length is new.
    yield Row("compiled again after a restore in the same process", after, "", "== 0")
    # Placing batches, restoring, evaluating, saving: every shape was seen before.
    rest = compiles.count - all_
    yield Row("all compiles of that second run, in and outside of steps", rest, "", "== 0")


def _again(job: loop.Job, first: Path, second: Path, step: int) -> None:
    """From the middle of the first run to its end, with the same compiled functions."""
    shutil.copytree(first / "checkpoints" / str(step), second / "checkpoints" / str(step))
    with Checkpoints(second / "checkpoints") as checkpoints:
        saved = checkpoints.read()
    loop.train(job, second, saved)
