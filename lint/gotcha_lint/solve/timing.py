"""Times that are taken while the device may still compute.

A dispatch returns as soon as the work is queued. Between two readings of a clock whose difference
is taken, something has to wait for what is dispatched there: a read of the host, or an
unknown function that is given the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gotcha_lint.domain.freshness import clocks_in
from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import Marks
from gotcha_lint.interpret.events import (
    Allocation,
    ClockRead,
    CompiledCall,
    EagerControl,
    Effect,
    Event,
    HostRead,
)
from gotcha_lint.solve.roots import Segment

_WAITS = ("given", "wait")


@dataclass(frozen=True, slots=True)
class Elapsed:
    """The difference of two clocks, and the last dispatch between them.

    `waits`: something waits for it. `earlier`: a dispatch of the same before the first clock, that
    nothing waits for. `partly`: something waits for other dispatches, or under a condition.
    """

    effect: Effect
    call: CompiledCall | EagerControl
    place: Origin  # of the difference, or of what takes it, in the function that dispatches
    start: Origin
    stop: Origin
    waits: bool = False
    earlier: Origin | None = None
    partly: bool = False


def unwaited(segment: Segment) -> Iterator[Elapsed]:
    """The times of one root that end before the device has done its work, or start before it has
    done what was to warm it up.
    """
    events = segment.events
    if not any(isinstance(event, Effect) and event.kind == "elapsed" for event in events):
        return
    clocks: list[int] = []
    found: dict[Any, Elapsed] = {}
    waited: set[Any] = set()  # differences that one turn waits for: that is enough for all
    unsure: set[Any] = set()  # ... for a part of the work, or perhaps
    for number, event in enumerate(events):
        if isinstance(event, ClockRead):
            clocks.append(number)
        elif isinstance(event, Effect) and event.kind == "elapsed":
            region = _region(events, clocks, event)
            calls = [] if region is None else _dispatches(events, region)
            key = event.path, event.span, event.calls
            if region is None or not calls:
                continue
            waits, partly = _is_waited_for(events, region, calls)
            time = _elapsed(events, region, calls[-1], event)
            earlier = _earlier(events, region, calls)
            time = replace(time, waits=waits, earlier=earlier, partly=partly)
            if waits:
                waited.add(key)
            if partly:
                unsure.add(key)
            if time.earlier is not None or not waits:
                found.setdefault(key, time)
    told: set[Any] = set()  # one finding for two clocks, however often their difference is taken
    for key, time in found.items():
        clock = time.start, time.stop, time.effect.calls
        if (time.waits or key not in waited) and clock not in told:
            told.add(clock)
            yield replace(time, partly=key in unsure)


def _region(events: list[Event], clocks: list[int], effect: Effect) -> tuple[int, int] | None:
    """Between which events the time passes, whichever of the clocks is taken from the other."""
    one, other = (clocks_in(value.marks) for value in effect.values)
    return _between(events, clocks, other, one) or _between(events, clocks, one, other)


def _between(
    events: list[Event], clocks: list[int], start: Marks, stop: Marks
) -> tuple[int, int] | None:
    """From the last reading of the one clock before the last reading of the other."""
    ends = [number for number in clocks if _mark(events[number]) in stop]
    if not ends:
        return None
    begins = [number for number in clocks if number < ends[-1] and _mark(events[number]) in start]
    return (begins[-1], ends[-1]) if begins else None


def _mark(event: Event) -> Any:
    return ("clock", event.path, event.span) if isinstance(event, ClockRead) else None


def _dispatches(events: list[Event], region: tuple[int, int]) -> list[int]:
    """What is queued in that time, but for what is jitted in it, too, and called once: there the
    compilation is measured.
    """
    start, stop = region
    begin = events[start]
    assert isinstance(begin, ClockRead)
    made = {event.site for event in events[start:stop] if isinstance(event, Allocation)}
    return [
        number
        for number in range(start, stop)
        if isinstance(event := events[number], EagerControl)
        or (
            isinstance(event, CompiledCall)
            and not event.maybe
            and (event.site not in made or bool(event.loops - begin.loops))
        )
    ]


def _is_waited_for(
    events: list[Event], region: tuple[int, int], calls: list[int]
) -> tuple[bool, bool]:
    """Whether something waits for the last dispatch; and for an earlier one, or perhaps.

    Where the clock runs from turn to turn, a wait of the turn before counts, too.
    """
    start, stop = region
    begin, end = events[start], events[stop]
    assert isinstance(begin, ClockRead) and isinstance(end, ClockRead)
    in_turns = _mark(begin) == _mark(end) or bool(end.loops - begin.loops)
    first = start if in_turns else calls[0]
    waits = [n for n in range(first, stop) if _may_wait(events[n])]
    sure = {(guard.path, guard.span, guard.holds) for guard in end.guards}
    for number in waits:
        event = events[number]
        assert isinstance(event, (HostRead, Effect))
        always = all((g.path, g.span, g.holds) in sure or g.of_loop for g in event.guards)
        if number > calls[-1] and (always or event.calls != end.calls):
            return True, False
    return False, bool(waits)


def _earlier(events: list[Event], region: tuple[int, int], calls: list[int]) -> Origin | None:
    """A call of the same function before the first clock, which may still be computing then."""
    timed = {event.site for n in calls if isinstance(event := events[n], CompiledCall)}
    for event in reversed(events[: region[0]]):
        if _may_wait(event):
            return None
        if isinstance(event, CompiledCall) and event.site in timed and not event.maybe:
            return event.path, event.span
    return None


def _elapsed(events: list[Event], region: tuple[int, int], call: int, effect: Effect) -> Elapsed:
    begin, end, last = (events[number] for number in (*region, call))
    assert isinstance(begin, ClockRead) and isinstance(end, ClockRead)
    assert isinstance(last, (CompiledCall, EagerControl))
    place = where_they_part(effect, last)
    return Elapsed(effect, last, place, (begin.path, begin.span), (end.path, end.span))


def where_they_part(effect: Effect, call: CompiledCall | EagerControl) -> Origin:
    """Where the function that leads to both takes the time: itself, or through what it calls."""
    to_effect = (*effect.calls, (effect.path, effect.span))
    to_call = (*call.calls, (call.path, call.span))
    for mine, its in zip(to_effect, to_call, strict=False):
        if mine != its:
            return mine
    return effect.path, effect.span


def _may_wait(event: Event) -> bool:
    return isinstance(event, HostRead) or (isinstance(event, Effect) and event.kind in _WAITS)
