"""A thread that calls functions now and then; it starts late and never crosses a fork.

Python 3.12 warns a program that forks while it has threads, so it is stopped before a fork, and
started again afterwards, in the parent alone.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

_RESOLUTION = 0.002  # seconds


Job = Callable[[], float | None]  # may give the seconds until it has work again


@dataclass
class _Job:
    period: float
    function: Job
    due: float = 0.0


class Ticker:
    """Runs jobs from a daemon thread. `start` may be called at any time, and again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._jobs: list[_Job] = []
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._wanted = self._over = False
        self._number = 0  # of the thread that is to run

    def every(self, seconds: float, function: Job) -> Callable[[], None]:
        """Calls it this often, or as much later as it says itself.

        Gives a function that has it called at once, from the same thread as ever.
        """
        job = _Job(seconds, function)
        self._jobs.append(job)

        def now() -> None:
            job.due = 0.0
            self._wake.set()

        return now

    def start(self) -> None:
        if self._over:
            return
        self._wanted = True
        if self._thread is None:
            self._wake.clear()
            self._number += 1
            thread = threading.Thread(target=self._run, name="gotcha-ticker", daemon=True)
            thread.start()  # raises where the interpreter is shutting down
            self._thread = thread

    def stop(self) -> None:
        """For good: a thread must not be started once the program ends."""
        self._wanted, self._over = False, True
        self._halt()

    def pause(self) -> None:
        """Before a fork."""
        self._halt()

    def resume(self) -> None:
        """After a fork, in the parent."""
        if self._wanted:
            self.start()

    def forget(self) -> None:
        """After a fork, in the child: it has no work of the parent's to watch."""
        self._wanted = False
        self._thread = None
        self._number += 1
        self._wake = threading.Event()

    def _halt(self) -> None:
        thread, self._thread = self._thread, None
        self._number += 1
        if thread is not None and thread is not threading.current_thread():
            self._wake.set()
            thread.join(timeout=1.0)

    def _run(self) -> None:
        pause, number = _RESOLUTION, self._number
        while True:
            self._wake.wait(pause)
            if self._number != number:
                return
            self._wake.clear()
            due = self.turn()
            pause = max(_RESOLUTION, due - self._clock())

    def turn(self) -> float:
        """Calls the jobs that are due; gives when the next one is."""
        now = self._clock()
        for job in self._jobs:
            if now >= job.due:
                job.due = now + max(job.period, job.function() or 0.0)
        return min((job.due for job in self._jobs), default=now)
