"""What is known of the reads at one place in the code."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from types import CodeType
from typing import Any

from gotcha_sanitizer.explain.turns import each_turn
from gotcha_sanitizer.frames import Where

WAITS = 1e-4  # seconds: a read that takes longer has waited for the device
AT_FIRST = 8  # looks at one line before they become rare
EARLY = 64  # visits in which these are made
GAP = 5e-6  # seconds: reads that follow faster are of one visit; no step fits in between


class Line:
    """Counts, and seconds on the clock of the hooks."""

    __slots__ = (
        "alive",
        "bad",
        "began",
        "blocked",
        "codes",
        "compared",
        "compiled",
        "count",
        "ended",
        "first",
        "idle",
        "looked",
        "new",
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
        self.alive: dict[int, weakref.ref[Any]] = {}  # the arrays of the last look
        self.compared = self.new = 0  # first looks; of these, those at an array made since the last
        self.next_look = 1.0

    def is_new(self) -> bool:
        """The next read is one to look at, however short it is."""
        return self.looked < AT_FIRST and self.visits < EARLY

    def compare(self, array: Any, alive: Iterable[Any]) -> None:
        """Was the array that is read there already when this line was last looked at?

        Else something was computed since. However slow the machine is, this says the same.
        """
        if self.looked >= AT_FIRST:
            return
        if self.looked:
            known = self.alive.get(id(array))
            self.compared += 1
            self.new += known is None or known() is not array
        last = self.looked + 1 == AT_FIRST
        self.alive = {} if last else {id(each): weakref.ref(each) for each in alive}

    def is_due(self) -> bool:
        """The next read that waits is one to look at."""
        return self.waits + 1 >= self.next_look

    def take(self, began: float, ended: float) -> float:
        """Counts a read; the seconds that it waited, 0 where it has not.

        A read that comes right after another and takes long was only interrupted.
        """
        gap, before = began - self.ended, self.ended
        self.count += 1
        self.began = self.began or began
        self.blocked += ended - began
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
