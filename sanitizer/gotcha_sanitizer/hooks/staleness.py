"""Looks at captured variables again: at the end on every Python, now and then before."""

from __future__ import annotations

import sys
from collections.abc import Callable

from gotcha_sanitizer.events import Stale
from gotcha_sanitizer.hooks import Context
from gotcha_sanitizer.hooks.watches import Watch, watches
from gotcha_sanitizer.parts import Site

_PERIOD = 1.0  # seconds


def tell(context: Context, watch: Watch, site: Site | None, called: bool | None) -> None:
    """Emits what has changed since the trace."""
    for was, now in watch.changed():
        context.emit(Stale(context.now(), watch.function, was, now, site, called))


def install(context: Context) -> Callable[[], None]:
    sees_calls = hasattr(sys, "monitoring")  # Python 3.12: hooks/calls.py looks at the calls

    def look() -> None:
        for watch in watches.all():
            tell(context, watch, None, False if sees_calls else None)

    if not sees_calls:
        context.every(_PERIOD, look)
    context.at_end(look)
    return watches.clear
