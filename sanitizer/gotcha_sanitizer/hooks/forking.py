"""Forks after JAX has started its threads. Starting a program (`subprocess`, spawn) is no fork."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType

from gotcha_sanitizer.frames import where
from gotcha_sanitizer.hooks import Context, internals
from gotcha_sanitizer.values.events import Forked
from gotcha_sanitizer.values.parts import Site

_EXECUTES = frozenset({"subprocess", "pty", "_posixsubprocess"})  # a fork that becomes a program
_FAR = 60


class Forking:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.on = hasattr(os, "register_at_fork")
        self._compiled = False  # where the start of the backend cannot be seen

    def before(self) -> None:
        if self.on:
            self.context.guard("forks", self._look, sys._getframe(1))

    def compiled(self, event: str, seconds: float, **details: object) -> None:
        self._compiled = self._compiled or event.startswith("/jax/core/compile/")

    def _look(self, frame: FrameType) -> None:
        started = internals.backend_started(self.context.jax)
        if started is None:
            started = self._compiled
        if started and not _executes(frame):
            site: Site | None = where(frame).site
            self.context.emit(Forked(self.context.now(), site))

    def stop(self) -> None:
        self.on = False


def _executes(frame: FrameType | None) -> bool:
    for _ in range(_FAR):
        if frame is None:
            return False
        if frame.f_globals.get("__name__") in _EXECUTES:
            return True
        frame = frame.f_back
    return False


def install(context: Context) -> Callable[[], None]:
    forking = Forking(context)
    if not forking.on:  # Windows
        return lambda: None
    os.register_at_fork(before=forking.before)
    if internals.backend_started(context.jax) is None:
        context.jax.monitoring.register_event_duration_secs_listener(forking.compiled)

    def uninstall() -> None:
        forking.stop()
        internals.unregister(context.jax, forking.compiled)

    return uninstall
