"""The lines that read arrays on the host, and what was seen at each: the table of `host_reads`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from gotcha_sanitizer.frames import loop_around, owner, where
from gotcha_sanitizer.hooks import Context, private, stack
from gotcha_sanitizer.hooks.read_line import AT_FIRST, WAITS, Line
from gotcha_sanitizer.hooks.readiness import is_ready
from gotcha_sanitizer.hooks.traces import spent
from gotcha_sanitizer.values.events import Deleted, HostRead, HostReads, ReadsAt
from gotcha_sanitizer.values.parts import Site

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MOST = 4096  # lines that are kept apart
_LOOK_FROM = 2e-4  # seconds: looking costs up to 0.5 ms at 3,000 arrays
_SHARE = 0.002  # of the run's time that looking may take
_GRACE = 0.002  # seconds of looking that are always allowed
_MOMENT = 2e-4  # seconds: longer than it takes to tell all results of one program, no step


class Reads:
    """All reads by one method, line by line.

    A line's key is the address of the instruction: a code object holds its own bytecode, so that
    `id(code) + f_lasti` is an address inside of it. The hooks look a key up and count, no more.
    """

    def __init__(self, how: str, context: Context, looks: Looks) -> None:
        self.how = how
        self.context = context
        self.looks = looks
        self.lines: dict[int, Line] = {}
        self.fresh: dict[int, Line] = {}  # those whose first reads are looked at
        self.callers: dict[
            tuple[int, int], Line
        ] = {}  # of functions that have no loop of their own
        self.passed: dict[int, CodeType] = {}  # code of JAX and other libraries
        self.ignored: dict[int, CodeType] = {}  # code of the sanitizer

    def note(self, frame: FrameType, began: float, ended: float, array: Any, finite: bool) -> None:
        """Takes in a read that is new, waited, or was called by a library; never raises.

        `frame` called the hook; times are of `time.perf_counter`.
        """
        user = self._user(frame)
        if user is None:
            return
        key = id(user.f_code) + user.f_lasti
        line = self._known(key, _address(user.f_back))
        quick = (
            line is not None
            and not line.is_new()
            and not (ended - began >= WAITS and line.is_due())
        )
        if line is not None and quick and finite:
            line.take(began, ended)
        elif id(user.f_code) not in self.ignored:
            self.context.guard("host reads", self._note, frame, began, ended, array, finite)

    def _user(self, frame: FrameType) -> FrameType | None:
        """The first frame that is not known to be a library's."""
        passed = self.passed
        user: FrameType | None = frame
        while user is not None and id(user.f_code) in passed:
            user = user.f_back
        return user

    def _note(self, frame: FrameType, began: float, ended: float, array: Any, finite: bool) -> None:
        line = self._line(frame)
        if line is None:
            return
        visits = line.visits
        waited = line.take(began, ended)
        busy = self._look(line, waited, array) if line.visits > visits else None
        self._settle(frame, line)
        line.bad += not finite
        if busy is not None or (not finite and line.bad & (line.bad - 1) == 0):
            self._tell(line, waited, array, busy, finite)

    def _line(self, frame: FrameType) -> Line | None:
        """The line of a caller, known or new; None for one that is not looked at."""
        user: FrameType | None = frame
        while user is not None and owner(user.f_code.co_filename) != "user":
            if user.f_code.co_filename.startswith(_OWN):
                self.ignored[id(user.f_code)] = user.f_code
                return None  # the sanitizer's own work, or what it was asked for
            if len(self.passed) < _MOST:
                self.passed[id(user.f_code)] = user.f_code
            user = user.f_back
        if user is None:
            return None
        key, caller = id(user.f_code) + user.f_lasti, _address(user.f_back)
        line = self._known(key, caller)
        if line is None and stack.find(user, private.TRACE) is None:  # traced code runs once
            line = self._learn(user, key, caller)
        return line

    def _known(self, key: int, caller: int) -> Line | None:
        return self.lines.get(key) or self.fresh.get(key) or self.callers.get((key, caller))

    def _learn(self, user: FrameType, key: int, caller: int) -> Line | None:
        if len(self.lines) + len(self.fresh) + len(self.callers) >= _MOST:
            self.context.degraded("host reads", f"more than {_MOST} lines: the rest is not counted")
            return None
        back = user.f_back
        codes = (user.f_code,) if back is None else (user.f_code, back.f_code)
        line = Line(where(user, columns=True), codes, self.context.now(), spent.seconds)
        if back is None or loop_around(user.f_code.co_filename, user.f_lineno):
            self.fresh[key] = line
        else:
            self.callers[key, caller] = line
        return line

    def _settle(self, frame: FrameType, line: Line) -> None:
        """From now on the hooks count its short reads by themselves."""
        user = self._user(frame)
        key = 0 if user is None else id(user.f_code) + user.f_lasti
        if key in self.fresh and not line.is_new():
            self.lines[key] = self.fresh.pop(key)

    def _look(self, line: Line, waited: float, array: Any) -> bool | None:
        """Is anything still being computed? Now and then: this costs, so it has a budget."""
        rare = waited < _LOOK_FROM or line.waits < line.next_look
        if (rare and not line.is_new()) or not self.looks.allowed():
            return None
        if line.looked >= AT_FIRST:
            line.next_look = line.waits * 1.5
        busy = self.looks.look(line, array)
        line.looked += 1
        line.idle += not busy
        return busy

    def _tell(self, line: Line, waited: float, array: Any, busy: bool | None, finite: bool) -> None:
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

    def looks_finite(self, look: Callable[[Any], bool], value: Any) -> bool:
        """Never raises; not through the guard, whose bookkeeping costs more than the look."""
        try:
            return look(value)
        except Exception as error:
            self.context.degraded("non-finite values", f"{type(error).__name__}: {error}")
            return True

    def failed(self, frame: FrameType | None, array: Any, error: BaseException) -> None:
        """A read raised: said where the array's memory is gone."""
        self.context.guard("host reads", self._failed, frame, array, error)

    def _failed(self, frame: FrameType | None, array: Any, error: BaseException) -> None:
        if self._is_ours(frame):  # what is looked at beside the program may be donated meanwhile
            return
        if array.is_deleted() and "deleted" in str(error):
            place = where(frame).site
            shape, dtype = tuple(array.shape), str(array.dtype)
            self.context.emit(Deleted(self.context.now(), self.how, shape, dtype, place))

    def _is_ours(self, frame: FrameType | None) -> bool:
        while frame is not None and owner(frame.f_code.co_filename) != "user":
            if frame.f_code.co_filename.startswith(_OWN):
                return True
            frame = frame.f_back
        return False

    def changed(self) -> Iterator[ReadsAt]:
        """The lines that were read at since the last time; those of one place are one."""
        groups: dict[Site, list[Line]] = {}
        fresh: set[Site] = set()
        for line in (*self.lines.values(), *self.fresh.values(), *self.callers.values()):
            if (site := line.where.site) is None:
                continue
            groups.setdefault(site, []).append(line)
            if line.count != line.sent:
                fresh.add(site)
                line.sent = line.count
        for site in fresh:
            yield _sum(site, self.how, groups[site])

    def clear(self) -> None:
        self.lines.clear()
        self.fresh.clear()
        self.callers.clear()


def _address(frame: FrameType | None) -> int:
    return 0 if frame is None else id(frame.f_code) + frame.f_lasti


def _sum(site: Site, how: str, lines: list[Line]) -> ReadsAt:
    most = max(lines, key=lambda line: line.waited)
    return ReadsAt(
        site=site,
        how=how,
        count=sum(line.count for line in lines),
        visits=sum(line.visits for line in lines),
        waits=sum(line.waits for line in lines),
        waited=sum(line.waited for line in lines),
        spared=sum(line.spared for line in lines),
        looked=sum(line.looked for line in lines),
        idle=sum(line.idle for line in lines),
        first=min(line.first for line in lines),
        loops=most.where.loops,
        steady=most.steady,
        blocked=sum(line.blocked for line in lines),
        compared=sum(line.compared for line in lines),
        new=sum(line.new for line in lines),
        span=max(_span(lines), 0.0),
    )


def _span(lines: list[Line]) -> float:
    """Seconds from the first read to the last, without the compiling in between."""
    compiled = spent.seconds - min(line.compiled for line in lines)
    return max(line.ended for line in lines) - min(line.began for line in lines) - compiled


class Looks:
    """Asks JAX for arrays that are not ready yet, within a share of the run's time."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.spent = 0.0

    def allowed(self) -> bool:
        return self.spent < _GRACE + _SHARE * self.context.now()

    def look(self, line: Line, array: Any) -> bool:
        """Is anything still being computed, while this line reads an array?"""
        began = time.thread_time()  # on a busy machine another process may run meanwhile
        try:
            alive = self.context.jax.live_arrays()
            line.compare(array, alive)
            left = [each for each in alive if _unready(each)]
            if left:  # the other results of the step that was read are told a moment later
                time.sleep(_MOMENT)
            return any(_unready(each) for each in left)
        finally:
            self.spent += time.thread_time() - began


def _unready(array: Any) -> bool:
    try:
        return is_ready(array) is False
    except Exception:  # on another host
        return False


def emit_changed(context: Context, tables: list[Reads]) -> None:
    rows = tuple(row for table in tables for row in table.changed())
    if rows:
        context.emit(HostReads(context.now(), rows))
