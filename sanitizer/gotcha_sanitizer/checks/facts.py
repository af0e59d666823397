"""What a hook knows for sure needs no judging: it is passed on, once for each place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import Fact
from gotcha_sanitizer.values.finding import Finding

GUARD = "failed-guard"
_RANKS = {"info": 0, "warning": 1, "error": 2}


class Facts(Check):
    """Passes on what was seen in a traced program or an exception, counted by place.

    A key that one program uses twice, parameters that no gradient reaches: these are read off the
    program as JAX traced it, so they hold for every run of it.

    ## Instead
    A gradient is zero where the loss goes through argmax, rounding, a comparison or an integer: use
    the logits, a soft form, or a straight-through estimator. Split a key before each draw.
    """

    gotchas = ("zero-gradient", "key-reuse")

    def __init__(self, options) -> None:
        super().__init__(options)
        self._counts: Counter[tuple[object, ...]] = Counter()
        self._surest: dict[tuple[object, ...], Fact] = {}

    def takes(self, fact: Fact) -> bool:
        """All but those that have a check of their own: crashes too, which the linter names."""
        return fact.gotcha != GUARD

    def on(self, event: Fact) -> Iterator[Finding]:
        if not self.takes(event):
            return
        # A draw may be a part of many programs; parameters are those of one function.
        function = "" if event.gotcha == "key-reuse" else event.function
        key = (event.gotcha, event.site, function, event.cause)
        self._counts[key] += 1
        before = self._surest.get(key)
        if before is not None and _RANKS[before.severity] > _RANKS[event.severity]:
            event = before
        self._surest[key] = event
        yield Finding(
            name=event.gotcha,
            message=event.message,
            site=event.site,
            advice=event.advice,
            function=event.function,
            cause=event.cause,
            causes=(event.cause,) if event.cause else (),
            count=self._counts[key],
            severity=event.severity,  # type: ignore[arg-type]  # a hook's plain string
            confidence=event.confidence,  # type: ignore[arg-type]
            evidence=event.evidence,
            key=key,
        )
