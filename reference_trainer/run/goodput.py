"""Where the time of a run goes: steps that count, and all else.

Wrong: tokens per second alone. They are of the steps, and a run that compiles for minutes, waits
for evaluations and saves, or does steps again after each kill has the same ones.
Right: every second has a name, and the share of steps done for the first time is the goodput.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reference_trainer import metrics
from reference_trainer.data.batch import Batch
from reference_trainer.train.state import TrainState
from reference_trainer.train.step import Metrics, Step


class Goodput:
    """Seconds of this process by what they were spent on; those without a name are steps.

    Begins when it is made. Steps after the last checkpoint of a run that was killed are done again:
    `redone`. What compiles inside of something else counts as compiling.
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.redone = 0
        self._began, self._start, self._compiles = time.perf_counter(), 0, metrics.Compiles()

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        before, compiled = time.perf_counter(), self._compiles.seconds
        try:
            yield
        finally:
            compiling = self._compiles.seconds - compiled if name != "compiles" else 0.0
            self.seconds[name] += time.perf_counter() - before - compiling
            self.seconds["compiles"] += compiling

    def begin(self, folder: Path, start: int) -> None:
        """Training goes on after `start`; steps beyond it in metrics.jsonl were done before."""
        self._start = start
        path = folder / "metrics.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.redone = max([_step(line) for line in lines] + [start]) - start

    def end(self, step: int) -> dict[str, float]:
        """The share of the time in steps that count, and the seconds, for metrics.jsonl."""
        total, done = time.perf_counter() - self._began, step - self._start
        named = sum(seconds for name, seconds in self.seconds.items() if name != "steps")
        self.seconds["steps"] = max(total - named, 0.0)
        self.redone = min(self.redone, done)
        again = self.seconds["steps"] * self.redone / max(done, 1)
        self.seconds["redone"], self.seconds["total"] = again, total
        self.seconds["steps"] -= again
        found = {f"{name}_seconds": round(value, 3) for name, value in self.seconds.items()}
        return {"goodput": round(self.seconds["steps"] / total, 4), **found}

    def __str__(self) -> str:
        """For people, after `end`."""
        total, names = self.seconds["total"], ("compiles", "evaluation", "saves", "start", "redone")
        shown = [f"{name} {self.seconds[name]:.1f} s" for name in ("steps", *names)]
        if self.redone:
            shown[-1] += f" ({self.redone} steps after the last checkpoint)"
        return f"goodput {self.seconds['steps'] / max(total, 1e-9):.1%}: {', '.join(shown)}"


class CompileCounter:
    """Row lengths seen, each a program; one that was seen must never compile again."""

    def __init__(self, spent: Goodput) -> None:
        self.seen: set[int] = set()
        self.again, self._spent, self._compiles = 0, spent, metrics.Compiles()

    def call(self, step: Step, state: TrainState, batch: Batch) -> tuple[TrainState, Metrics]:
        before, length = self._compiles.count, batch.inputs.shape[-2]
        with self._spent.on("steps" if length in self.seen else "compiles"):
            result = step(state, batch)
        self.again += self._compiles.count > before and length in self.seen
        self.seen.add(length)
        return result


def _step(line: str) -> int:
    """Of a training step; 0 for other lines, and for one that a kill has cut off."""
    try:
        found = json.loads(line)
    except ValueError:
        return 0
    return int(found["step"]) if "loss" in found else 0
