"""Loops outside of jit whose operations start one by one: the device waits for Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.interpret.effects import ON_HOST
from gotcha_lint.interpret.events import EagerLoop, Effect
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
    certain: bool  # False: a caller may trace it, it may be short, or it waits for somebody


def host_bound(segment: Segment) -> Iterator[HostBoundLoop]:
    """The loops of a root."""
    events = segment.events
    host = {e.within for e in events if isinstance(e, Effect) and e.kind == ON_HOST}
    for event in events:
        if isinstance(event, EagerLoop):
            reads = event.reads or event.within in host
            certain = (event.is_long or reads) and (segment.runs_once or reads)
            certain = certain and (event.path, *event.span[:2]) not in segment.waiting
            yield HostBoundLoop(
                event.path,
                event.span,
                event.turns.constant,
                event.dispatches,
                event.within,
                event.mostly,
                event.calls,
                certain,
            )
