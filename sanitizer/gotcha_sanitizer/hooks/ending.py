"""A process that is ended by SIGTERM, as a preempted job is, writes its report and its page first.

Only where nothing else has a use for the signal. The process still dies of the signal: by Python's
own handler, or, where the main thread is in a compile or hangs and does not come to it, by the
ticker's thread. A process that was forked off has no such thread: it dies at once, as ever.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from gotcha_sanitizer.hooks import Context

_LONGEST = 10.0  # seconds for the report and the page
_PATIENCE = 0.5  # seconds that the main thread has to come to its handler

_begun = threading.Event()


def is_under_way() -> bool:
    """A signal ends this process: there is time for the report, and for nothing to be computed."""
    return _begun.is_set()


class Ending:
    """Finishes the session and lets the signal have its way."""

    number = int(signal.SIGTERM)

    def __init__(self, context: Context) -> None:
        self.context = context
        self.arrived = 0.0  # on the monotonic clock; 0: the signal has not come

    def handle(self, *_: Any) -> None:
        """Python's handler, in the main thread."""
        self._finish()
        signal.signal(self.number, signal.SIG_DFL)
        os.kill(os.getpid(), self.number)

    def look(self, came: int) -> None:
        """In the ticker. `came`: signals that arrived since the last time."""
        if came and not self.arrived:
            self.arrived = time.monotonic()
        if self.arrived and time.monotonic() - self.arrived > _PATIENCE:
            # In a thread of its own: what the ticker calls is guarded, and so would these be.
            last = threading.Thread(target=self._finish, daemon=True)
            last.start()
            last.join(_LONGEST)
            _die_of(self.number)

    def _finish(self) -> None:
        _begun.set()
        try:
            self.context.finish()
        except Exception as error:  # the process ends in any case
            self.context.degraded("signals", f"{type(error).__name__}: {error}")

    def install(self) -> Callable[[], None]:
        """In the main thread. Gives what takes the handler out again."""
        if signal.getsignal(self.number) != signal.SIG_DFL:
            return lambda: None
        signal.signal(self.number, self.handle)
        os.register_at_fork(after_in_child=self._leave)
        return self._leave

    def _leave(self) -> None:
        if signal.getsignal(self.number) == self.handle:
            signal.signal(self.number, signal.SIG_DFL)


def _die_of(number: int) -> None:
    """From any thread: `signal.signal` works in the main thread alone."""
    import ctypes

    ctypes.CDLL(None).signal(number, 0)
    os.kill(os.getpid(), number)
