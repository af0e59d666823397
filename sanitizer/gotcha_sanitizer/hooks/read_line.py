"""What is known of the reads at one place in the code."""

from __future__ import annotations

from types import CodeType

from gotcha_sanitizer.frames import Where
from gotcha_sanitizer.turns import each_turn

WAITS = 1e-4  # seconds: a read that takes longer has waited for the device
GAP = 5e-6  # seconds: reads that follow faster are of one visit; no step fits in between


class Line:
    """Counts, and seconds on the clock of the hooks."""

    __slots__ = (
        "bad",
        "codes",
        "count",
        "ended",
        "first",
        "idle",
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

    def __init__(self, place: Where, codes: tuple[CodeType, ...], at: float) -> None:
        self.where = place
        self.codes = codes  # kept so that no other code gets their address
        self.steady = each_turn(place.stack, place.columns)
        self.first = at
        self.ended = 0.0
        self.waited = self.spared = 0.0
        self.count = self.visits = self.waits = self.looked = self.idle = self.sent = self.bad = 0
        self.next_look = 1.0

    def is_due(self) -> bool:
        """The next read that waits is one to look at."""
        return self.waits + 1 >= self.next_look

    def take(self, began: float, ended: float) -> float:
        """Counts a read; the seconds that it waited, 0 where it has not.

        A read that comes right after another and takes long was only interrupted.
        """
        gap, before = began - self.ended, self.ended
        self.count += 1
        self.ended = ended
        if gap <= GAP:
            return 0.0
        self.visits += 1
        waited = ended - began
        if waited < WAITS:
            return 0.0
        self.waits += 1
        self.waited += waited
        if before:
            self.spared += min(waited, gap)
        return waited
