"""A profile of some steps, for XProf or Perfetto, in the run's folder."""

from __future__ import annotations

from pathlib import Path

import jax

FIRST = 3  # steps 1 and 2 compile and fill the queue


class Trace:
    """A context manager that records `steps` steps, or what there is of them."""

    def __init__(self, folder: Path, steps: int):
        self._folder, self._steps = folder / "profile", steps
        self._running, self._first = False, 0

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        if self._running:
            jax.profiler.stop_trace()

    def before(self, step: int) -> None:
        """`step` counts from 1 at the start of this process, by ones or by `run.fused`."""
        if self._running and step >= self._first + self._steps:
            jax.profiler.stop_trace()
            self._running = False
        if self._steps and step >= FIRST and not self._first:
            jax.profiler.start_trace(str(self._folder))
            self._running, self._first = True, step
