"""The lines that read arrays on the host, and what was seen at each: the table of `host_reads`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from gotcha_sanitizer.events import Deleted, HostRead, HostReads, ReadsAt, Site
from gotcha_sanitizer.frames import Where, owner, where
from gotcha_sanitizer.hooks import Context, private
from gotcha_sanitizer.turns import each_turn

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MOST = 4096  # lines that are kept apart
_WAITS = 1e-4  # seconds: a read that takes longer has waited for the device
_LOOK_FROM = 2e-4  # seconds: looking costs up to 0.5 ms at 3,000 arrays
_EACH_AT_FIRST = 8  # looks at one line before they become rare
_SHARE = 0.004  # of the run's time that looking may take
_GRACE = 0.005  # seconds of looking that are always allowed
_SMALL = 256  # elements of an array that are looked at for NaN

Key = tuple[int, int, int, int]


class Line:
    """What is known of the reads at one place in the code. Seconds, on the clock of the hooks."""

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
        "waited",
        "waits",
        "where",
    )

    def __init__(self, place: Where, codes: tuple[CodeType | None, ...], at: float) -> None:
        self.where = place
        self.codes = codes  # kept so that no other code gets their address
        self.steady = each_turn(place.stack)
        self.first = at
        self.ended = 0.0
        self.waited = self.spared = 0.0
        self.count = self.waits = self.looked = self.idle = self.sent = self.bad = 0
        self.next_look = 1.0


class Reads:
    """All reads by one method, line by line. `note` is the fast path: it must stay small."""

    def __init__(self, how: str, context: Context, looks: Looks) -> None:
        self.how = how
        self.context = context
        self.looks = looks
        self.lines: dict[Key, Line | None] = {}  # None: a line that is not looked at
        self.passed: dict[int, CodeType] = {}  # code of JAX and other libraries

    def note(self, frame: FrameType, began: float, ended: float, array: Any, finite: bool) -> None:
        """Counts one read. `frame` called the hook; times are of `time.perf_counter`."""
        passed = self.passed
        user: FrameType | None = frame
        while user is not None and id(user.f_code) in passed:
            user = user.f_back
        if user is None:
            return
        back = user.f_back
        code = 0 if back is None else id(back.f_code)
        last = 0 if back is None else back.f_lasti
        key = (id(user.f_code), user.f_lasti, code, last)
        waited = ended - began
        if finite and waited < _WAITS and key in self.lines:
            line = self.lines[key]
            if line is not None:
                line.count += 1
                line.waited += waited
                line.ended = ended
        else:
            self.context.guard("host reads", self._note, frame, key, began, ended, array, finite)

    def _note(
        self, frame: FrameType, key: Key, began: float, ended: float, array: Any, finite: bool
    ) -> None:
        if key not in self.lines:
            key = self._learn(frame)
        line = self.lines.get(key)
        if line is None:
            return
        waited = ended - began
        line.count += 1
        line.waited += waited
        if waited >= _WAITS:
            line.waits += 1
            if line.ended:
                line.spared += min(waited, began - line.ended)
        line.ended = ended
        busy = self._look(line, waited)
        line.bad += not finite
        if busy is not None or (not finite and line.bad & (line.bad - 1) == 0):
            self._tell(line, waited, array, busy, finite)

    def _learn(self, frame: FrameType) -> Key:
        """Makes the line of a new caller known; its key, once libraries are passed over."""
        user: FrameType | None = frame
        while user is not None and owner(user.f_code.co_filename) != "user":
            if user.f_code.co_filename.startswith(_OWN):
                break  # the sanitizer's own work, or what it was asked for
            if len(self.passed) < _MOST:
                self.passed[id(user.f_code)] = user.f_code
            user = user.f_back
        if user is None:
            return (0, 0, 0, 0)
        back = user.f_back
        codes = (user.f_code, back and back.f_code)
        key = (id(codes[0]), user.f_lasti, id(codes[1]) if back else 0, back.f_lasti if back else 0)
        if key in self.lines:
            return key
        if len(self.lines) >= _MOST:
            self.context.degraded("host reads", f"more than {_MOST} lines: the rest is not counted")
        elif private.find(user, private.TRACE) is None:  # traced code runs once
            own = user.f_code.co_filename.startswith(_OWN)
            self.lines[key] = None if own else Line(where(user), codes, self.context.now())
        return key

    def _look(self, line: Line, waited: float) -> bool | None:
        """Is anything still being computed? Now and then: this costs, so it has a budget."""
        if waited < _LOOK_FROM or line.waits < line.next_look or not self.looks.allowed():
            return None
        if line.looked >= _EACH_AT_FIRST:
            line.next_look = line.waits * 1.5
        busy = self.looks.in_flight()
        line.looked += 1
        line.idle += not busy
        return busy

    def _tell(
        self, line: Line, waited: float, array: Any, busy: bool | None, finite: bool
    ) -> None:
        self.context.emit(
            HostRead(
                at=self.context.now(),
                how=self.how,
                shape=tuple(array.shape),
                dtype=str(array.dtype),
                waited=waited,
                site=line.where.site,
                loops=line.where.loops,
                in_flight=busy,
                finite=None if finite else False,
                count=line.count,
            )
        )

    def failed(self, frame: FrameType, array: Any) -> None:
        """A read raised: said where the array's memory is gone."""
        if array.is_deleted():
            place = where(frame).site
            shape, dtype = tuple(array.shape), str(array.dtype)
            self.context.emit(Deleted(self.context.now(), self.how, shape, dtype, place))

    def changed(self) -> Iterator[ReadsAt]:
        """The lines that were read at since the last time; those of one place are one."""
        groups: dict[Site, list[Line]] = {}
        fresh: set[Site] = set()
        for line in list(self.lines.values()):
            if line is None or (site := line.where.site) is None:
                continue
            groups.setdefault(site, []).append(line)
            if line.count != line.sent:
                fresh.add(site)
                line.sent = line.count
        for site in fresh:
            yield _sum(site, self.how, groups[site])

    def clear(self) -> None:
        self.lines.clear()


def _sum(site: Site, how: str, lines: list[Line]) -> ReadsAt:
    most = max(lines, key=lambda line: line.waited)
    return ReadsAt(
        site=site,
        how=how,
        count=sum(line.count for line in lines),
        waits=sum(line.waits for line in lines),
        waited=sum(line.waited for line in lines),
        spared=sum(line.spared for line in lines),
        looked=sum(line.looked for line in lines),
        idle=sum(line.idle for line in lines),
        first=min(line.first for line in lines),
        loops=most.where.loops,
        steady=most.steady,
    )


class Looks:
    """Asks JAX for arrays that are not ready yet, within a share of the run's time."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.spent = 0.0

    def allowed(self) -> bool:
        return self.spent < _GRACE + _SHARE * self.context.now()

    def in_flight(self) -> bool:
        began = self.context.now()
        try:
            return any(_unready(array) for array in self.context.jax.live_arrays())
        finally:
            self.spent += self.context.now() - began


def _unready(array: Any) -> bool:
    try:
        return not array.is_ready()
    except Exception:  # deleted meanwhile, or on another host
        return False


def emit_changed(context: Context, tables: list[Reads]) -> None:
    rows = tuple(row for table in tables for row in table.changed())
    if rows:
        context.emit(HostReads(context.now(), rows))


def is_finite(value: Any) -> bool:
    """False for a number or a small array with NaN or infinity; larger ones are not looked at."""
    kind = type(value)
    if kind is float or kind is complex:
        return value - value == 0.0
    if kind is memoryview:
        if value.nbytes > 8 * _SMALL or value.format not in ("e", "f", "d", "Zf", "Zd"):
            return True
        value = np.asarray(value)
    elif kind is not np.ndarray or value.size > _SMALL or value.dtype.kind not in "fc":
        return True
    return bool(np.isfinite(value).all())
