"""Loops outside of jit that start their operations one by one."""

from __future__ import annotations

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Size
from gotcha_lint.interpret.events import CompiledCall, EagerLoop, HostRead
from gotcha_lint.interpret.heap import in_module_method
from gotcha_lint.interpret.machine import Instruction, Machine
from gotcha_lint.program.data_flow import instructions

FEW_TURNS = 8
OF_A_LAYER = 4  # operations: a product, the bias in its shape, the sum, and casts
OF_A_MODEL = 24  # to set up a module of Flax for a call takes as long, however small it is
_DISPATCHES = 24  # in one iteration, outside of jit: starting them takes half a millisecond
_BESIDE = 64  # ... beside compiled functions, where most of the work may be
_IN_ALL = 2_000  # in all iterations, where their number is known
_LEAST = 4  # in one iteration: a split and a sum of losses are not a loop's work
_COUNTED_TURNS = 1000  # of an inner loop


def note_eager(
    machine: Machine,
    instruction: Instruction,
    turns: Size,
    dispatches: int,
    start: int,
    endless: bool,
) -> None:
    """Notes a loop that starts many operations one by one; of nested loops, the innermost long one.

    A loop that is not worth a note is part of what the loop around it does in an iteration.
    `dispatches`: of one iteration, at least. `start`: of the loop's events. `endless`: it goes on
    as long as there are data, or a test holds.
    """
    span: Span = instruction[-1]
    events = machine.events[start:] if dispatches else []
    beside = any(isinstance(event, CompiledCall) for event in events)
    many = _are_many(turns, dispatches, beside)
    if not many or turns.high <= FEW_TURNS or in_module_method(machine):
        if not beside:
            machine.dispatch(dispatches * max(int(min(turns.low, _COUNTED_TURNS)) - 1, 0))
        return
    loop = machine.path, span[0], span[1]
    reads = loop in machine.reading or any(
        isinstance(event, HostRead) and loop in event.loops for event in events
    )
    is_long = bool(turns.low) or reads or endless
    within = machine.activation.function
    machine.note(
        EagerLoop(
            machine.path,
            span,
            turns,
            dispatches,
            within,
            reads,
            is_long,
            _mostly(machine, instruction, dispatches),
            machine.calls,
        )
    )
    if is_long:
        machine.dispatches -= dispatches


def _mostly(machine: Machine, loop: Instruction, dispatches: int) -> Span | None:
    """The call in the body of a loop that starts most of its operations, where one does."""
    calls = [i[-1] for i in instructions([loop]) if i[0] == "call"]
    counts = {span: machine.started.get((machine.path, span), 0) for span in calls}
    most = max(calls, key=counts.__getitem__, default=None)
    return most if most is not None and counts[most] * 2 > dispatches else None


def _are_many(turns: Size, dispatches: int, beside: bool) -> bool:
    if beside or not turns.low:
        return dispatches >= (_BESIDE if beside else _DISPATCHES)
    return dispatches >= _LEAST and dispatches * turns.low >= _IN_ALL
