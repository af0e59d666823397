"""`kill -USR1` prints the report so far: for a run that seems to hang, or that is not over yet.
SIGTERM ends a run with its report (`ending`).

Only where nothing else has a use for the signal. Python handles signals between two of its own
instructions, and a compile is one of them. So a signal is also written to a pipe the moment it
comes (`signal.set_wakeup_fd`), where the ticker finds it while the main thread compiles or hangs.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

from gotcha_sanitizer.hooks import Context
from gotcha_sanitizer.hooks.ending import Ending

_PERIOD = 0.5  # seconds between two looks at the pipe


class Reports:
    """Prints one report for each signal, from the thread that comes to it first."""

    def __init__(self, context: Context, number: int) -> None:
        self.context = context
        self.number = number
        self.told = 0  # signals that have their report
        self.arrived = 0  # signals that were read from the pipe
        self.ahead = 0  # reports that the ticker gave before Python's own handler ran

    def handle(self, *_: Any) -> None:
        """Python's handler, in the main thread."""
        if self.ahead:
            self.ahead -= 1
            return
        self.told += 1
        try:
            self._show()
        except Exception as error:  # never into the program
            self.context.degraded("signals", f"{type(error).__name__}: {error}")

    def look(self, came: int) -> None:
        """In the ticker: what came while the main thread could not see to it."""
        self.arrived += came
        if self.arrived > self.told:
            self.told = self.arrived
            self.ahead += 1
            self._show()

    def _show(self) -> None:
        self.context.say(self.context.report() or "gotcha: nothing was compiled so far\n")


def install(context: Context) -> Callable[[], None]:
    number = getattr(signal, "SIGUSR1", None)  # Windows has none
    if number is None or not _on_main_thread():
        return lambda: None
    reports, ending = Reports(context, number), Ending(context)
    leave = ending.install()
    if signal.getsignal(number) == signal.SIG_DFL:
        signal.signal(number, reports.handle)
    pipe = Pipe()

    def look() -> None:
        came = pipe.read()
        ending.look(came.count(ending.number))
        if signal.getsignal(number) == reports.handle:
            reports.look(came.count(number))

    context.every(_PERIOD, look)

    def uninstall() -> None:
        if not _on_main_thread():
            return
        leave()
        pipe.leave()
        if signal.getsignal(number) == reports.handle:
            signal.signal(number, signal.SIG_DFL)

    return uninstall


class Pipe:
    """Where the numbers of signals are written as they come. A process has one such place."""

    def __init__(self) -> None:
        self.receives, self.sends = os.pipe()
        os.set_blocking(self.receives, False)
        os.set_blocking(self.sends, False)
        self.ours = True
        before = signal.set_wakeup_fd(self.sends, warn_on_full_buffer=False)
        if before != -1:  # asyncio's, or the program's: it stays theirs
            signal.set_wakeup_fd(before)
            self._close()
        else:
            os.register_at_fork(after_in_child=self.leave)  # its signals are not the parent's

    def read(self) -> bytes:
        try:
            return os.read(self.receives, 512) if self.ours else b""
        except OSError:  # empty
            return b""

    def leave(self) -> None:
        if not self.ours or not _on_main_thread():
            return
        now = signal.set_wakeup_fd(-1)
        if now not in (-1, self.sends):
            signal.set_wakeup_fd(now)
        self._close()

    def _close(self) -> None:
        self.ours = False
        os.close(self.receives)
        os.close(self.sends)


def _on_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
