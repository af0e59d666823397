"""`kill -USR1` prints the report so far: for a run that seems to hang, or that is not over yet.

Only where nobody else has a use for the signal. Python handles signals between two of its own
instructions, so that the report of a long compile comes at that compile's end.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

from gotcha_sanitizer.hooks import Context


def install(context: Context) -> Callable[[], None]:
    number = getattr(signal, "SIGUSR1", None)  # Windows has none
    if number is None or not _on_main_thread() or signal.getsignal(number) != signal.SIG_DFL:
        return lambda: None

    def show(*_: Any) -> None:
        try:
            context.say(context.report() or "gotcha: nothing was compiled so far\n")
        except Exception as error:  # never into the program
            context.degraded("signals", f"{type(error).__name__}: {error}")

    signal.signal(number, show)

    def uninstall() -> None:
        if signal.getsignal(number) is show and _on_main_thread():
            signal.signal(number, signal.SIG_DFL)

    return uninstall


def _on_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
