"""What is known of the reads at one place in the code."""

from __future__ import annotations

from types import CodeType
from typing import NamedTuple

from gotcha_sanitizer.explain.turns import each_turn
from gotcha_sanitizer.frames import Where

WAITS = 1e-4  # seconds: a read that takes longer has waited for the device
AT_FIRST = 8  # looks at one line before they become rare
EARLY = 64  # visits in which these are made
GAP = 5e-6  # seconds: reads that follow faster are of one visit; no step fits in between


class Read(NamedTuple):
    """One read: seconds on the clock of the hooks, and what the array was."""

    began: float
    ended: float
    late: bool | None  # the device had not computed the array before; None where nobody asked
    finite: bool


class Line:
    """Counts, and seconds on the clock of the hooks."""

    __slots__ = (
        "asked",
        "bad",
        "began",
        "blocked",
        "codes",
        "compiled",
        "count",
        "ended",
        "first",
        "idle",
        "late",
        "looked",
        "next_look",
        "sent",
        "spared",
        "steady",
        "visits",
        "waited",
        "waits",
        "where",
    )

    def __init__(
        self, place: Where, codes: tuple[CodeType, ...], at: float, compiled: float = 0.0
    ) -> None:
        self.where = place
        self.codes = codes  # kept so that no other code gets their address
        self.steady = each_turn(place.stack, place.columns)
        self.first = at
        self.began = 0.0  # the first read, as `ended` is the last one
        self.blocked = 0.0
        self.compiled = compiled  # seconds of compiling before the first read
        self.ended = 0.0
        self.waited = self.spared = 0.0
        self.count = self.visits = self.waits = self.looked = self.idle = self.sent = self.bad = 0
        self.asked = self.late = 0  # first visits, and those whose array was not computed yet
        self.next_look = 1.0

    def is_new(self) -> bool:
        """The next read is one to look at, however short it is."""
        return self.looked < AT_FIRST and self.visits < EARLY

    def is_due(self) -> bool:
        """The next read that waits is one to look at."""
        return self.waits + 1 >= self.next_look

    def take(self, read: Read) -> float:
        """Counts a read; the seconds that it waited, 0 where it has not.

        A read that comes right after another and takes long was only interrupted.
        """
        began, ended = read.began, read.ended
        gap, before = began - self.ended, self.ended
        self.count += 1
        self.began = self.began or began
        self.blocked += ended - began
        self.ended = ended
        if gap <= GAP:
            return 0.0
        self.visits += 1
        waited = ended - began
        if read.late is not None and self.asked < EARLY:
            self.asked += 1
            self.late += read.late
        if waited < WAITS:
            return 0.0
        self.waits += 1
        self.waited += waited
        if before:
            self.spared += min(waited, gap)
        return waited
