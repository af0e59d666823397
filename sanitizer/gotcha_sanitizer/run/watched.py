"""What the ends of a run need to know of its session: see `session.Session`, which fulfils it."""

from __future__ import annotations

from typing import Any, Protocol

from gotcha_sanitizer.guard import Guard
from gotcha_sanitizer.options import Options
from gotcha_sanitizer.run.notices import Notices
from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.run.recording import Recording
from gotcha_sanitizer.run.ticker import Ticker


class Watched(Protocol):
    """A run that is watched: its parts, and how it ends."""

    options: Options
    guard: Guard
    recording: Recording
    notices: Notices
    ticker: Ticker
    pid: int
    forked: bool
    keeps: bool
    jax: Any

    @property
    def run(self) -> Run: ...

    def degraded(self, feature: str, why: str, /) -> None: ...

    def finish(self) -> None: ...

    def in_child(self) -> None: ...
