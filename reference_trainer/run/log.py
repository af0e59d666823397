"""What a run prints and writes: a progress bar, a line of JSON per report, and TensorBoard."""

from __future__ import annotations

import importlib.util
import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import jax
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from reference_trainer.config import UserError


class Tracker(Protocol):
    """Anything with `log`, as what `wandb.init()` returns."""

    def log(self, values: dict[str, float], *, step: int) -> object: ...


class Log:
    """A context manager; every process writes its own files, only the first one shows a bar."""

    def __init__(
        self,
        folder: Path,
        steps: int,
        start: int = 0,
        *,
        tensorboard: bool = False,
        trackers: Sequence[Tracker] = (),
    ):
        self.first = jax.process_index() == 0
        self.console = Console(stderr=True, quiet=not self.first)
        name = "metrics.jsonl" if self.first else f"metrics-{jax.process_index()}.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        self._file = (folder / name).open("a", encoding="utf-8")
        self._trackers = trackers if self.first else ()
        self._board = _board(folder) if tensorboard and self.first else None
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self.console,
            disable=not (self.first and self.console.is_terminal),
        )
        self._task = self._bar.add_task("training", total=steps, completed=start)
        self._began = time.perf_counter()

    def __enter__(self) -> Log:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        self._file.close()
        if self._board is not None:
            self._board.close()

    def write(self, step: int, **values: Any) -> None:
        """One line of metrics.jsonl; numbers go to the trackers and to TensorBoard too."""
        seconds = round(time.perf_counter() - self._began, 3)
        line = {"step": step, "seconds": seconds, **values}
        self._file.write(json.dumps({k: _plain(v) for k, v in line.items()}) + "\n")
        self._file.flush()
        numbers: dict[str, float] = {
            name: value for name, value in values.items() if isinstance(value, int | float)
        }
        for tracker in self._trackers:
            tracker.log(numbers, step=step)
        if self._board is not None:
            for name, value in numbers.items():
                self._board.add_scalar(name, value, step)

    def advance(self, step: int, words: str) -> None:
        self._bar.update(self._task, completed=step, description=words)
        if not self.console.is_terminal:
            self.say(f"step {step}: {words}")

    def say(self, text: str) -> None:
        """A line for people, above the bar."""
        self.console.print(text, highlight=False, markup=False, soft_wrap=True)


def _plain(value: Any) -> Any:
    """JSON has no NaN and no infinity."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value


def check_board() -> None:
    """UserError where the package for TensorBoard is not installed; nothing is imported."""
    if importlib.util.find_spec("tensorboardX") is None:
        raise UserError("--tensorboard needs: pip install tensorboardX")


def _board(folder: Path) -> Any:
    check_board()
    from tensorboardX import SummaryWriter

    return SummaryWriter(str(folder / "tensorboard"))
