"""Says which gotcha a crash was, after the program's own traceback.

The hooks for exceptions that nothing caught are chained: what stood there is called first, with
the same exception. Where a program replaces ours by its own, the end of the program looks at the
exception that Python has kept.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gotcha_sanitizer.hooks import Context
from gotcha_sanitizer.values.events import Deleted, Event

if TYPE_CHECKING:
    from gotcha_sanitizer.explain.crashes import Crash

_DELETED = re.compile(r"has been deleted with shape=(?P<dtype>\w+)\[(?P<shape>[\d,]*)\]")


class _Crashes:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.before, self.thread_before = sys.excepthook, threading.excepthook
        self._told = 0  # its id; `sys` keeps it alive

    def on_error(self, kind: Any, error: Any, trace: Any) -> None:
        self.before(kind, error, trace)
        self.context.guard("crashes", self.tell, error)

    def on_thread_error(self, details: Any) -> None:
        error = details.exc_value
        self.thread_before(details)
        self.context.guard("crashes", self.tell, error)

    def tell(self, error: BaseException | None) -> None:
        if not isinstance(error, Exception) or self._told == id(error):
            return  # a Ctrl-C, say
        self._told = id(error)
        from gotcha_sanitizer.explain import crashes  # has the table of errors: 15 ms to import

        if (found := crashes.explain(error)) is None:
            return
        told = False
        try:
            told = self._say(found)
        finally:
            self.context.emit(_event(found, str(error), self.context.now(), told))

    def _say(self, found: Crash) -> bool:
        if self.context.options.redact:
            return False
        self.context.say(found.as_text(f"=={os.getpid()}==gotcha: "))
        return True

    def at_end(self) -> None:
        """pytest and IPython leave the last exception there too, and go on."""
        if sys.excepthook != self.on_error and not {"_pytest", "IPython"} & sys.modules.keys():
            self.tell(getattr(sys, "last_value", None))

    def uninstall(self) -> None:
        if sys.excepthook == self.on_error:
            sys.excepthook = self.before
        if threading.excepthook == self.on_thread_error:
            threading.excepthook = self.thread_before


def _event(found: Crash, message: str, now: float, told: bool) -> Event:
    """A deleted array has a check of its own, which knows who donates arrays of that shape."""
    if array := _DELETED.search(message):
        shape = tuple(int(size) for size in array["shape"].split(",") if size)
        return Deleted(now, "an operation", shape, array["dtype"], found.site)
    return found.as_fact(now, told)


def install(context: Context) -> Callable[[], None]:
    crashes = _Crashes(context)
    sys.excepthook, threading.excepthook = crashes.on_error, crashes.on_thread_error
    context.at_end(crashes.at_end)
    return crashes.uninstall
