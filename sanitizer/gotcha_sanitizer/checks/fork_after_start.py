"""Processes that were forked off a process in which JAX runs."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Forked
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import plural


class ForkAfterStart(Check):
    """Sees forks of the process after JAX has started its backend and with it its threads.

    Starting a program (`subprocess`) or a process by spawn or forkserver is not a fork.

    ## Instead
    Start workers before JAX does anything, or with the `spawn` or `forkserver` method.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._count: dict[Site | None, int] = {}

    def on(self, event: Forked) -> Iterator[Finding]:
        count = self._count[event.site] = self._count.get(event.site, 0) + 1
        yield Finding(
            name="fork-after-start",
            message=f"the process was forked {plural(count, 'time')} after JAX had started its "
            "threads: a lock that one of them held stays locked in the child, which may then hang",
            site=event.site,
            advice='use `multiprocessing.get_context("spawn")` (or "forkserver"), or fork before '
            "the first use of JAX",
            function=event.site.function if event.site else "",
            count=count,
            key=(event.site,),
        )
