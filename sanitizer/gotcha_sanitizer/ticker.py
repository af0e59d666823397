"""A thread that calls functions now and then; it starts late and never crosses a fork.

Python 3.12 warns a program that forks while it has threads, so it is stopped before a fork, and
started again afterwards, in the parent alone.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_RESOLUTION = 0.05  # seconds


@dataclass
class _Job:
    period: float
    function: Callable[[], None]
    due: float = 0.0


class Ticker:
    """Runs jobs from a daemon thread. `start` may be called at any time, and again."""

    def __init__(self) -> None:
        self._jobs: list[_Job] = []
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._wanted = False
        os.register_at_fork(
            before=self._before, after_in_parent=self._again, after_in_child=self._child
        )

    def every(self, seconds: float, function: Callable[[], None]) -> None:
        self._jobs.append(_Job(seconds, function))

    def start(self) -> None:
        self._wanted = True
        if self._thread is None:
            self._wake.clear()
            self._thread = threading.Thread(target=self._run, name="gotcha-ticker", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        self._wanted = False
        self._halt()

    def last(self) -> None:
        """Calls every function once more, from this thread: the program ends."""
        for job in self._jobs:
            job.function()

    def _before(self) -> None:
        self._halt()

    def _again(self) -> None:
        if self._wanted:
            self.start()

    def _child(self) -> None:
        self._wanted = False  # a child has no work of the parent's to watch; see session.in_child
        self._thread = None

    def _halt(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            self._wake.set()
            thread.join(timeout=1.0)

    def _run(self) -> None:
        while not self._wake.wait(_RESOLUTION):
            now = time.monotonic()
            for job in self._jobs:
                if now >= job.due:
                    job.due = now + job.period
                    job.function()
