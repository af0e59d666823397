"""Looks at captured variables again: at the end on every Python, now and then before."""

from __future__ import annotations

import sys
from collections.abc import Callable

from gotcha_sanitizer.hooks import Context
from gotcha_sanitizer.hooks.watches import Watch, watches
from gotcha_sanitizer.values.events import Stale
from gotcha_sanitizer.values.parts import Site

_PERIOD = 0.1  # seconds between two looks, at the least
_LOOKS = 60  # in each doubling of the run's time, about


def tell(context: Context, watch: Watch, site: Site | None, called: bool | None) -> None:
    """Emits what has changed since the trace."""
    for was, now in watch.changed():
        context.emit(Stale(context.now(), watch.function, was, now, site, called))


def install(context: Context) -> Callable[[], None]:
    sees_calls = hasattr(sys, "monitoring")  # Python 3.12: hooks/calls.py looks at the calls
    unseen = False if sees_calls else None  # was it called after the change?

    def look() -> float:
        for watch in watches.all():
            tell(context, watch, None, unseen)
        return tell_left()

    def tell_left() -> float:
        for watch, was, now in watches.left():
            context.emit(Stale(context.now(), watch.function, was, now, None, unseen))
        return context.now() / _LOOKS

    context.every(_PERIOD, tell_left if sees_calls else look)
    context.at_end(look)
    return watches.clear
