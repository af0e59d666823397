"""A training run that goes on, and does not train what it should."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.explain.invariants import Broken, Series, broken, by_function
from gotcha_sanitizer.values.events import Tick
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.training import Flow, Look

_MOST = 160  # looks at one call that are kept
_FIRST = 64  # looks after which it is told while the run goes on; then after twice as many, ...


class SilentTrainingError(Check):
    """With `training=1`: looks at the arguments of jitted steps; checks what holds of any run.

    Weights that are updated move, counters count, replicas stay equal, batches and keys change, a
    loss depends on its batch, a mask lets something through, and what is evaluated is what was
    trained. Needs eight calls of a step, for replicas two. What often is meant so is a note.

    ## Instead
    The cause of each finding says what to look at.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._looks: defaultdict[tuple[str, object], list[Look]] = defaultdict(list)
        self._flows: dict[str, Flow] = {}
        self._next = _FIRST

    def on(self, event: Flow | Look | Tick) -> Iterator[Finding]:
        if isinstance(event, Flow):
            self._flows[event.function] = event
        elif isinstance(event, Look):
            looks = self._looks[event.function, event.site]
            looks.append(event)
            if len(looks) > _MOST:  # the first ones follow each other
                del looks[_FIRST]
        else:
            most = max(map(len, self._looks.values()), default=0)
            if event.last or most >= self._next:
                self._next *= 2
                yield from self._findings()

    def _findings(self) -> Iterator[Finding]:
        every = [look for looks in self._looks.values() for look in looks]
        for series, found in broken(by_function(every, self._flows)):
            yield _finding(series, found)


def _finding(series: Series, found: Broken) -> Finding:
    look = series.looks[-1]
    return Finding(
        name="silent-training-error",
        message=found.message,
        site=found.site or look.site,
        advice=found.advice,
        function=look.function,
        cause=found.cause,
        causes=(found.cause,),
        count=len(series.looks),
        severity=found.severity,  # type: ignore[arg-type]  # one of the three
        confidence="medium",
        evidence={"leaves": list(found.leaves[:50])},
        key=(look.function, look.site, found.cause, found.site, found.leaves[:1]),
    )
