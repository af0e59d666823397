"""Loops outside of jit whose operations start one by one: the device waits for Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.interpret.effects import ON_HOST
from gotcha_lint.interpret.events import EagerLoop, Effect
from gotcha_lint.interpret.layers.eager_loops import is_worth_a_word
from gotcha_lint.program.data_flow import acts_on_world
from gotcha_lint.program.entry_loops import goes_over
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.roots import Segment


@dataclass(frozen=True, slots=True)
class HostBoundLoop:
    """`dispatches`: operations that each iteration starts, at least; `mostly` start most."""

    path: str
    span: Span
    turns: int | None
    dispatches: int
    within: Function
    mostly: tuple[Span, ...]
    calls: tuple[Origin, ...]
    is_call: bool  # no loop, but a call that runs a model whenever an outsider calls the function
    deepest: Origin | None  # the call within those that still starts most
    certain: bool  # False: a caller may trace it, it may be short, or it waits for somebody


def host_bound(segment: Segment) -> Iterator[HostBoundLoop]:
    """The loops of a root."""
    events = segment.events
    host = {e.within for e in events if isinstance(e, Effect) and e.kind == ON_HOST}
    loops = [event for event in events if isinstance(event, EagerLoop)]
    certain = [_is_certain(loop, segment, loop.within in host) for loop in loops]
    sure = {(e.path, e.span) for e, is_sure in zip(loops, certain, strict=True) if is_sure}
    for event, is_sure in zip(loops, certain, strict=True):
        if is_worth_a_word(event, sure):
            yield HostBoundLoop(
                event.path,
                event.span,
                event.turns.constant,
                event.dispatches,
                event.within,
                event.mostly,
                event.calls,
                False,
                event.deepest,
                is_sure,
            )
    root = segment.root
    if root is not None and root in host and segment.heaviest is not None and not segment.runs_once:
        span, count = segment.heaviest
        yield HostBoundLoop(root.path, span, None, count, root, (), (), True, None, False)


def _is_certain(loop: EagerLoop, segment: Segment, on_host: bool) -> bool:
    reads = loop.reads or on_host
    if segment.loops.of((loop.path, *loop.span[:2])).waits:
        return False
    if not (loop.is_long or reads):
        return False
    return segment.runs_once or reads or _is_of_host(loop)


def _is_of_host(loop: EagerLoop) -> bool:
    """Does its function print, or go over a loader, so that it is not compiled?"""
    return acts_on_world(loop.within) or goes_over(loop.within, loop.span[:2]) == "loader"
