"""Stopping in good order: a scheduler's SIGTERM, or Ctrl-C, ends the run after the step at hand."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

import jax
from jax.experimental import multihost_utils


class Stop:
    """A context manager that catches the signals of this process.

    With more than one process JAX's preemption service listens instead: a SIGTERM to any of them
    makes all of them stop after the same step.
    """

    def __init__(self) -> None:
        self.name = ""
        self._old: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        if jax.process_count() == 1:
            for number in (signal.SIGTERM, signal.SIGINT):
                self._old[number] = signal.signal(number, self._caught)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def requested(self, step: int) -> bool:
        """Whether to save and leave after `step`; the same answer in all processes."""
        if jax.process_count() > 1 and multihost_utils.reached_preemption_sync_point(step):
            self.name = "SIGTERM"
        return bool(self.name)

    def _caught(self, number: int, frame: FrameType | None) -> None:
        self.name = signal.Signals(number).name
        self._restore()  # a second signal acts as if there were no handler

    def _restore(self) -> None:
        for number, old in self._old.items():
            signal.signal(number, old)
        self._old.clear()
