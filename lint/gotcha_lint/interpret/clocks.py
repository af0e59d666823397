"""Clocks: which reading of a clock a number is, and that the difference of two is taken."""

from __future__ import annotations

from gotcha_lint.domain.freshness import clock_at, clocks_in
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Symbol, Value
from gotcha_lint.interpret.effects import note
from gotcha_lint.interpret.events import ClockRead
from gotcha_lint.interpret.machine import Machine


def note_clock(machine: Machine, span: Span) -> None:
    """Notes that the program looks at the clock."""
    if not machine.traced:
        machine.note(ClockRead(machine.path, span, machine.current, machine.guards, machine.calls))


def read_clock(machine: Machine, span: Span) -> Value:
    """The same, and what the clock shows."""
    note_clock(machine, span)
    return Value((), True, frozenset((clock_at((machine.path, span)),)))


def note_elapsed(machine: Machine, start: Value, span: Span) -> None:
    """The clock is read again, and the difference is taken."""
    if not machine.traced:
        note(machine, "elapsed", "", span, (read_clock(machine, span), start))


def difference(machine: Machine, result: Value, stop: Value, start: Value, span: Span) -> Value:
    """`stop - start`: of two clocks it is a time that has passed, and no clock itself."""
    ends = clocks_in(stop.marks)
    if not ends:
        return result
    if not machine.traced and (clocks_in(start.marks) or isinstance(start.only, Symbol)):
        note(machine, "elapsed", "", span, (stop, start))
    marks = result.marks - ends - clocks_in(start.marks)
    return Value(result.atoms, result.unknown, marks, result.choice)
