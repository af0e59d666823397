"""A guest's manners: what goes wrong inside the sanitizer never reaches the program."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

# Private copies: a program may replace these while it is watched.
_clock = time.perf_counter


class Guard:
    """Calls functions of ours from the program's threads, keeps what they raise, adds up the time.

    Nested calls on one thread are not made: an event that our own work causes is not the program's.
    """

    def __init__(self, degraded: Callable[[str, str], None]) -> None:
        self.degraded = degraded
        self.spent = 0.0
        self._busy = threading.local()

    @property
    def busy(self) -> bool:
        return getattr(self._busy, "yes", False)

    @contextmanager
    def unseen(self) -> Iterator[None]:
        """What this thread does here is ours: no event of it is the program's."""
        before, self._busy.yes = self.busy, True
        try:
            yield
        finally:
            self._busy.yes = before

    def __call__(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        if self.busy:
            return None
        self._busy.yes = True
        began = _clock()
        try:
            return function(*args)
        except Exception as error:
            self.degraded(name, f"{type(error).__name__}: {error}"[:200])
        finally:
            self.spent += _clock() - began
            self._busy.yes = False
        return None


@contextmanager
def unseen() -> Iterator[None]:
    """For what the user asks of us: a session that runs does not take it for the program's work."""
    session = sys.modules.get("gotcha_sanitizer.run.session")
    running = session.current() if session is not None else None
    with running.guard.unseen() if running is not None else nullcontext():
        yield
