"""What a hook knows for sure, passed on."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.events import Event, Fact
from gotcha_sanitizer.finding import Finding


class Facts(Check):
    """Passes on what was found by looking at a traced program, or at the exception that ended it.

    A crash is named as the linter's table of error messages has it: the gotcha, the argument, the
    line; JAX's own traceback stays as it is.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._counts: dict[tuple[object, ...], int] = {}

    def on(self, event: Event) -> Iterator[Finding]:
        if not isinstance(event, Fact):
            return
        key = (event.gotcha, event.site, event.function, event.cause)
        self._counts[key] = self._counts.get(key, 0) + 1
        yield Finding(
            name=event.gotcha,
            message=event.message,
            site=event.site,
            advice=event.advice,
            function=event.function,
            cause=event.cause,
            causes=(event.cause,) if event.cause else (),
            count=self._counts[key],
            severity=event.severity,  # type: ignore[arg-type]
            confidence=event.confidence,  # type: ignore[arg-type]
            evidence=event.evidence,
            key=key,
        )
