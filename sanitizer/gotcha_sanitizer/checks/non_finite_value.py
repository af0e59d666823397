"""NaN and infinity, seen when the host reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_sanitizer.check import Check
from gotcha_sanitizer.values.events import HostRead
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site


@dataclass
class _First:
    read: int  # which read of the line it was
    at: float
    times: int = 0


class NonFiniteValue(Check):
    """Looks at the numbers and small arrays that the program itself reads on the host.

    It names the line and which of its reads was the first; where the value was made is found by
    `gotcha_sanitizer.first_nan`. Values that the program never reads are not seen, and infinities
    inside an array are not reported: masks have them.

    ## Instead
    `gotcha_sanitizer.first_nan(step, *args)`, or `gotcha-sanitize nan train.py`, names the
    operation that made it.
    """

    def __init__(self, options) -> None:
        super().__init__(options)
        self._first: dict[Site | None, _First] = {}

    def on(self, event: HostRead) -> Iterator[Finding]:
        if event.finite is not False:
            return
        site = event.site
        first = self._first.setdefault(site, _First(event.count, event.at))
        first.times += 1
        if first.read > 1:
            which = f"from read {first.read:,} of this line on"
        else:
            which = "at the first read of this line"
        yield Finding(
            name="non-finite-value",
            message=f"a {event.dtype} value that is NaN or infinite was read, {which}",
            site=site,
            advice="call `gotcha_sanitizer.first_nan(step, *arguments)` with the arguments of that "
            "step: it names the operation that made it",
            function=site.function if site else "",
            count=first.times,
            evidence={"first_read": first.read, "first_at": round(first.at, 3)},
            key=(site,),
        )
