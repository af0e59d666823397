"""What loops cost beside compiled programs: equations that they unroll, work outside of jit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import Marks
from gotcha_lint.interpret.events import ClockRead, CompiledCall, EagerUpdate, HostRead
from gotcha_lint.interpret.layers.eager_loops import FEW_TURNS
from gotcha_lint.program.data_flow import acts_on_world
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.compiled_functions import Loops, Place
from gotcha_lint.solve.roots import Segment


@dataclass(frozen=True, slots=True)
class UnrolledLoop:
    path: str
    span: Span
    turns: int | None
    equations: int
    marks: Marks
    within: Function
    alike: bool  # each turn does the same
    steps: bool  # over an axis of an array, with a state that each turn renews


@dataclass(frozen=True, slots=True)
class EagerBody:
    """Structured control flow outside of jit whose body is new in each turn, or at each call."""

    what: str
    path: str
    span: Span
    loops: Loops
    places: tuple[Place, ...]
    within: Function
    certain: bool = True  # False: unless the callers of `within` trace it


@dataclass(frozen=True, slots=True)
class EagerWork:
    """An update that runs outside of jit in each turn of these loops, one dispatch after another.

    `certain`: nothing around it is traced. `name`: of the array, where it grows; of the compiled
    function, where a gradient of one is taken.
    """

    within: Function
    loops: Loops
    places: tuple[Place, ...]
    certain: bool
    name: str = ""

    def joined(self, other: EagerWork) -> EagerWork:
        places = tuple(dict.fromkeys(self.places + other.places))
        loops, certain = self.loops | other.loops, self.certain or other.certain
        return EagerWork(self.within, loops, places, certain, self.name)


def eager_work(
    segment: Segment, updates: Iterable[EagerUpdate], compiled: Iterable[CompiledCall]
) -> Iterator[tuple[tuple[str, Origin], EagerWork]]:
    """What the updates of one root are, by kind and place.

    Of code that others call, compiled calls, reads and clocks show that it is not traced.
    """
    plain = {loop for call in compiled for loop in call.loops if not is_of_outsider(loop)}
    seen = (event for event in segment.events if isinstance(event, (ClockRead, HostRead)))
    hosted = {loop for event in seen for loop in event.loops}
    for event in updates:
        turns = turns_of(segment, event.loops)
        if event.what == "array" and turns is not None and turns <= FEW_TURNS:
            continue
        certain = bool(plain & event.loops)
        if event.what != "schedule":  # a curve to be looked at is made in such a loop, too
            certain = certain or bool(hosted & event.loops) or segment.runs_once
            certain = certain or acts_on_world(event.within)
        calls = tuple((*at, "called here") for at in event.calls)
        certain = certain and not event.maybe
        work = EagerWork(event.within, event.loops, calls, certain, event.name)
        yield (event.what, (event.path, event.span)), work


def turns_of(segment: Segment, loops: Iterable[Any]) -> int | None:
    """How often the innermost of these loops goes round, all in all; None: not known."""
    known = [segment.loops.turns(loop) for loop in loops]
    counts = [size.constant if size is not None else None for size in known]
    return None if None in counts else prod(count for count in counts if count is not None)


def is_of_outsider(mark: Any) -> bool:
    """Is it the loop of the caller of the methods of a class?"""
    return isinstance(mark, tuple) and len(mark) == 3 and type(mark[2]) is int and mark[2] < 0
