"""Where the host waits for the device in a loop: what it reads, when, and for what.

The device works on while the host queues the next step. A read of what the last dispatch of the
same turn has made ends that: nothing is queued before the device has nothing left to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from gotcha_lint.domain.freshness import (
    TURN,
    dispatched,
    has_read,
    histories,
    kept_from,
    made_at,
    made_in,
    read_at,
)
from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import EACH, NO_MARKS, Array, Marks, Value
from gotcha_lint.interpret.effects import ENDS, QUEUED
from gotcha_lint.interpret.events import ClockRead, CompiledCall, Effect, Guard, HostRead
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.entry_loops import entry_loops
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.roots import Segment

_FEW_TURNS = 20  # of a demo
_LOOPS = frozenset(("scan", "while_loop", "fori_loop"))
_NAMES = ("attr", "load")


@dataclass(frozen=True, slots=True)
class Wait:
    """A read that waits for a dispatch of the same turn, in each turn of the same loops.

    `needed`: the next dispatch depends on what is read. `scalar`: all that is read are single
    numbers. `timed`: the clock is read next. `behind`: another dispatch was queued between the two.
    `sometimes`: tests in the innermost loop may leave it out in some turns. `rare`: a test around
    that loop may leave out the loop as a whole. `few`: the loops have few turns, or sleep.
    `exported`: the loop is that of an outsider who calls a method again and again. `carried`: the
    dispatch takes what it has given in the turn before. `compiled_anew`: it compiles in each turn,
    which takes longer than any wait. `after`: what is read is no result of the dispatch, and this
    ("schedule", "metric") computes it on the device behind it. `whole`: the dispatch runs a loop on
    the device, and takes nothing of the turn before: a computation of its own, which may take long.
    `ends`: what is read decides whether the loop goes on. `also`: where results of the dispatch are
    read after it, which would wait if this read did not.
    """

    read: HostRead
    call: CompiledCall
    place: Origin  # of the read, or of what reads, in the function that dispatches
    scalar: bool
    behind: bool
    sometimes: bool
    few: bool
    exported: bool
    carried: bool
    compiled_anew: bool
    rare: bool = False
    needed: bool = False
    timed: bool = False
    after: str = ""
    whole: bool = False
    ends: bool = False
    also: tuple[Origin, ...] = ()

    def joined(self, other: Wait) -> Wait:
        """The same place from two roots: a test that one knows to vary, varies."""
        sure = other if self.exported or self.few else self
        return replace(
            sure,
            sometimes=self.sometimes or other.sometimes,
            rare=self.rare or other.rare,
            needed=self.needed or other.needed,
            ends=self.ends or other.ends,
            timed=self.timed or other.timed,
            also=tuple(dict.fromkeys((*self.also, *other.also))),
        )


@dataclass(frozen=True, slots=True)
class ElementRead:
    """Elements of a list of results are read one by one, in a loop over the list.

    `large`: whole arrays are copied, or the entries of a dictionary; these are few, as a rule.
    """

    read: HostRead
    call: CompiledCall
    made: Origin  # of the list
    loop: Any
    few: bool
    large: bool


def host_reads(segment: Segment) -> tuple[list[Wait], list[ElementRead]]:
    """The waits of one root, each place once; and the loops that read elements."""
    reader = _Reader(segment)
    reader.run()
    return reader.waits(), reader.elements()


class _Reader:
    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._calls: dict[Any, tuple[int, CompiledCall]] = {}  # the last call at each place
        self._last: CompiledCall | None = None
        self._behind: dict[Any, str] = {}  # what computes at a place without being compiled
        self._done: dict[Any, list[set[Guard]]] = {}
        """Dispatches that were waited for since, and under which flags: one of several reads."""
        self._needs: dict[Any, tuple[Marks, Marks]] = {}  # loops of a call, what it follows from
        self._ending: dict[Any, tuple[Marks, Marks]] = {}  # ... of the tests that end a loop
        self._found: dict[Any, Wait] = {}
        self._elements: dict[Any, ElementRead] = {}
        self._open: list[Any] = []  # waits since the last dispatch
        self._first: dict[Any, Any] = {}  # the first wait for a dispatch
        self._also: dict[Any, dict[Origin, None]] = {}  # reads after a wait
        self._early: dict[Any, dict[int, HostRead]] = {}
        """Reads at the start of a turn, each once, by the dispatch that they are of."""

    def run(self) -> None:
        for number, event in enumerate(self._segment.events):
            if isinstance(event, CompiledCall):
                self._dispatch(number, event)
            elif isinstance(event, HostRead):
                self._element(event)
                self._read(event)
            elif isinstance(event, ClockRead):
                self._clock(event)
            elif isinstance(event, Effect) and event.kind == QUEUED:
                self._queued(number, event)
            elif isinstance(event, Effect) and event.kind == ENDS:
                self._ends(event)

    def waits(self) -> list[Wait]:
        return [
            replace(
                wait,
                needed=_is_among(wait, self._needs.values()),
                ends=_is_among(wait, self._ending.values()),
                also=tuple(self._also.get(key, ())),
            )
            for key, wait in self._found.items()
        ]

    def elements(self) -> list[ElementRead]:
        return list(self._elements.values())

    def _dispatch(self, number: int, call: CompiledCall) -> None:
        place = made_at((call.path, call.span))
        self._calls[place] = number, call
        self._last = call
        self._done.pop(place, None)
        self._open.clear()
        if call.loops:
            tests = NO_MARKS.union(*(guard.marks for guard in call.guards))
            self._needs[place, call.loops] = call.loops, call.needs | tests
            for event in self._early.pop(place, {}).values():
                self._read(event)
                self._done.pop(place, None)

    def _ends(self, event: Effect) -> None:
        """What decides that a loop ends is needed before the next iteration."""
        tests = NO_MARKS.union(*(guard.marks for guard in event.guards if not guard.of_loop))
        self._ending[event.path, event.span, event.calls] = event.loops, tests

    def _queued(self, number: int, event: Effect) -> None:
        """The device computes it when it has done what it was given before in this turn."""
        place, last = made_at((event.path, event.span)), self._last
        self._done.pop(place, None)
        self._behind[place] = event.what
        busy = last is not None and made_at((last.path, last.span)) not in self._done
        if last is not None and busy and last.loops == event.loops:
            self._calls[place] = number, last
        else:
            self._calls.pop(place, None)

    def _read(self, event: HostRead) -> None:
        of = dispatched if event.older else made_in
        made = {mark for value in event.values for mark in of(value.marks)}
        calls = [(*self._calls[place], place) for place in made if place in self._calls]
        if event.older and event.loops and not any(c.loops == event.loops for _, c, _ in calls):
            for place in made:  # the test of a `while` reads what a later line dispatches
                self._early.setdefault(place, {})[id(event)] = event
        if not event.loops or not calls:
            return
        here = [c for c in calls if c[1].loops == event.loops]
        _, call, place = max(here or calls, key=lambda c: (not _is_without(event, c[1]), c[0]))
        if call.loops != event.loops:
            return
        if self._is_done(place, event):
            first, here = self._first[place], _in_loop(event, call)
            if here != first:
                self._also.setdefault(first, {})[here] = None
            return
        extra = [guard for guard in event.guards if guard not in call.guards]
        skipped = _may_skip(extra, event.loops)
        if not skipped:
            self._done.setdefault(place, []).append(set(extra))
        here = _in_loop(event, call)
        key = here
        self._first.setdefault(place, key)
        if key in self._open:
            return  # by the same call of a helper
        around = _around_innermost(call.guards, event.loops)
        self._open.append(key)
        old = self._found.get(key)  # the first turns know least of what varies
        is_carried = kept_from((call.path, call.span)) in call.needs
        self._found[key] = Wait(
            read=event,
            call=call,
            place=here,
            scalar=all(_is_scalar(value) for value in event.values),
            behind=self._is_behind(event, call),
            sometimes=skipped
            or _may_skip(_in_innermost(call.guards, event.loops), event.loops)
            or (old is not None and old.sometimes and old.read.loops >= event.loops),
            few=self._is_few(
                event.loops - NO_MARKS.union(*(g.loops for g in around)), _share(around)
            ),
            rare=bool(around),
            exported=all(loop[2] < 0 for loop in event.loops if _is_loop(loop)),
            carried=is_carried,
            whole=not is_carried and any(map(_has_loop_of_device, call.traced)),
            compiled_anew=bool(self._new_in(call) & event.loops),
            after=self._behind.get(place, ""),
        )

    def _is_done(self, place: Any, read: HostRead) -> bool:
        """Has another read waited already, whenever this one happens?"""
        return any(flags <= set(read.guards) for flags in self._done.get(place, ()))

    def _is_behind(self, read: HostRead, call: CompiledCall) -> bool:
        """Is another dispatch queued between the two, in each turn?"""
        last = self._last
        return last is not None and last is not call and not _is_without(read, last)

    def _element(self, event: HostRead) -> None:
        for value in event.values:
            lists = histories(value.marks)
            around = value.marks & event.loops
            calls = [self._calls[d] for d in dispatched(value.marks) if d in self._calls]
            around -= NO_MARKS.union(*(call.loops for _, call in calls))
            if not lists or not around or not calls or _is_of_host(value):
                continue
            loop, (_, path, span) = min(around), min(lists)
            _, last = max(calls, key=lambda each: each[0])
            self._elements.setdefault(
                (loop, path, span),
                ElementRead(
                    event,
                    last,
                    (path, span),
                    loop,
                    self._is_few(frozenset((loop,))),
                    _copies_arrays(event) or loop[1:] in entry_loops(event.within),
                ),
            )

    def _new_in(self, call: CompiledCall) -> Marks:
        """The loops in which the compiled function is another one in each turn."""
        fresh = self._segment.fresh
        return NO_MARKS.union(*(fresh.get(part.site, NO_MARKS) for part in call.identity))

    def _clock(self, event: ClockRead) -> None:
        for key in self._open:
            wait = self._found[key]
            extra = [guard for guard in event.guards if guard not in wait.read.guards]
            if event.loops == wait.read.loops and not _may_skip(extra, event.loops):
                self._found[key] = replace(wait, timed=True)

    def _is_few(self, loops: Marks, share: float = 0) -> bool:
        if any(self._segment.loops.of(loop).waits for loop in loops):
            return True
        turns = 1.0
        for loop in loops:
            size = self._segment.loops.turns(loop)
            turns *= float("inf") if size is None else size.high
        return turns <= max(_FEW_TURNS, share)


def _is_among(wait: Wait, needs: Iterable[tuple[Marks, Marks]]) -> bool:
    """Does any of these follow from what is read, in the same loops?"""
    mark = read_at((wait.read.path, wait.read.span))
    return any(mark in sources and loops & wait.read.loops for loops, sources in needs)


@cache
def _has_loop_of_device(function: Function) -> bool:
    """Does it name `lax.scan` or the like?"""
    names = {i[3] if i[0] == "attr" else i[2] for i in steps_of(function) if i[0] in _NAMES}
    return not names.isdisjoint(_LOOPS)


def _in_loop(read: HostRead, call: CompiledCall) -> Origin:
    """Where the function that leads to both reads: itself, or through what it calls."""
    to_read = (*read.calls, (read.path, read.span))
    to_call = (*call.calls, (call.path, call.span))
    for mine, its in zip(to_read, to_call, strict=False):
        if mine != its:
            return mine
    return read.path, read.span


_COPIES = ("np.asarray", "np.array")


def _copies_arrays(read: HostRead) -> bool:
    """Is it a whole array, or a tree, that is copied? May: a number can be copied so, too."""
    numbers = all(map(_is_scalar, read.values))
    return read.what == "device_get" or (read.what in _COPIES and not numbers)


def _is_of_host(value: Value) -> bool:
    """Something unknown that follows from a read: what a simulator gives for an action, say."""
    return value.unknown and not value.atoms and has_read(value.marks)


def _is_loop(mark: Any) -> bool:
    return isinstance(mark, tuple) and len(mark) == 3 and isinstance(mark[2], int)


def _is_scalar(value: Value) -> bool:
    arrays = [atom for atom in value.atoms if isinstance(atom, Array) and atom.shape == ()]
    return not value.unknown and len(arrays) == len(value.atoms)


def _is_without(read: HostRead, call: CompiledCall) -> bool:
    """May the read come without the dispatch before it?"""
    return _may_skip([guard for guard in call.guards if guard not in read.guards], read.loops)


def _in_innermost(guards: Iterable[Guard], loops: Marks) -> list[Guard]:
    """The tests in the body of the innermost of the loops."""
    return [guard for guard in guards if guard.loops >= loops]


def _around_innermost(guards: Iterable[Guard], loops: Marks) -> list[Guard]:
    """The tests around the innermost of the loops that may leave it out as a whole."""
    return [guard for guard in guards if not guard.loops >= loops and _may_skip((guard,), loops)]


def _share(guards: Iterable[Guard]) -> float:
    """How often the tests hold at most: in one of so many turns, as far as this is known."""
    return max((guard.share for guard in guards if guard.holds), default=0)


def _may_skip(guards: Iterable[Guard], loops: Marks) -> bool:
    """May some of these tests come out otherwise in another turn?"""
    varying = loops | {EACH} | {(TURN, loop) for loop in loops}
    return any(
        not guard.of_loop
        and (not guard.stable or bool(guard.marks & varying) or has_read(guard.marks))
        for guard in guards
    )
