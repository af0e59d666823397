"""Loops outside of jit that start their operations one by one."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from gotcha_lint.domain.met import Loop, LoopFacts
from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import NO_MARKS, Marks, Size, Value
from gotcha_lint.facts.layers import operations_of
from gotcha_lint.interpret.effects import ON_HOST
from gotcha_lint.interpret.events import CompiledCall, EagerLoop, Effect, Event, HostRead
from gotcha_lint.interpret.heap import in_module_method
from gotcha_lint.interpret.machine import Instruction, Machine
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.entry_loops import goes_over
from gotcha_lint.program.ir import Function

_LAYER = "layer"
GIVES = "gives"  # a layer that is not followed: its class, and how wide its result is
FEW_TURNS = 8
OF_A_MODEL = 24  # to set up a module of Flax for a call takes as long, however small it is
_DISPATCHES = 24  # in one iteration, outside of jit: starting them takes half a millisecond
_BESIDE = 64  # ... beside compiled functions, where most of the work may be
_IN_ALL = 2_000  # in all iterations, where their number is known
_LONG = 100  # iterations
_LEAST = 4  # in one iteration: a split and a sum of losses are not a loop's work
_DEEP = 6  # calls within calls
_COUNTED_TURNS = 1000  # of an inner loop


def as_layer(name: str) -> Marks:
    """The mark of a layer of a library that is not followed: what a call of it starts."""
    operations = operations_of(name)
    if not operations:
        return NO_MARKS
    return frozenset(((_LAYER, operations),))


def run_layer(machine: Machine, callee: Value) -> None:
    """Something unknown is called: a layer, perhaps."""
    operations = sum(mark[1] for mark in callee.marks if mark[0] == _LAYER)
    machine.equations += operations
    machine.dispatch(operations)


def without_layers(value: Value) -> Value:
    """A part of a layer is none."""
    marks = frozenset(mark for mark in value.marks if mark[0] in (_LAYER, GIVES))
    return Value(value.atoms, value.unknown, value.marks - marks, value.choice) if marks else value


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
    loop = machine.path, span[0], span[1]
    within = machine.activation.function
    of_data = bool(goes_over(within, (span[0], span[1])))
    if endless or of_data or turns.low >= _LONG:
        machine.note_loop(loop, LoopFacts(is_long=True))
    events = machine.events[start:] if dispatches else []
    beside = any(isinstance(event, CompiledCall) for event in events)
    many = are_many(turns, dispatches, beside)
    if beside and not many and dispatches >= _DISPATCHES:
        many = _runs_model(machine, instruction, dispatches)
    if many and beside and _is_around_loops(machine, loop, events, of_data):
        return
    if not many or turns.high <= FEW_TURNS or in_module_method(machine):
        if not beside:
            machine.dispatch(dispatches * max(int(min(turns.low, _COUNTED_TURNS)) - 1, 0))
        return
    mostly = _mostly(machine, instruction, dispatches)
    reads = loop in machine.reading or any(_reads(event, loop) for event in events)
    is_long = bool(turns.low) or reads or endless or of_data
    machine.note(
        EagerLoop(
            machine.path,
            span,
            turns,
            dispatches,
            within,
            reads,
            is_long,
            mostly,
            machine.calls,
            _inside(events),
            _deepest(machine, (machine.path, mostly[0])) if len(mostly) == 1 else None,
        )
    )
    if is_long:
        machine.dispatches -= dispatches


def _reads(event: Event, loop: object) -> bool:
    """Does the host read there what the device has made, in the loop or in what it calls?"""
    if isinstance(event, Effect):
        return event.kind == ON_HOST
    return isinstance(event, HostRead) and loop in event.loops


def _runs_model(machine: Machine, loop: Instruction, dispatches: int) -> bool:
    """Is it a model that starts most of what an iteration starts?

    A call of a layer takes much longer than the operations that it starts: three of `nn.Dense` in
    `apply` 5.8 ms, as 800 additions do, three of `nnx.Linear` 0.9 ms.
    """
    most = _mostly(machine, loop, dispatches)
    if len(most) != 1:
        return False
    at = machine.path, most[0]
    function = machine.callees.get(_deepest(machine, at) or at)
    return function is not None and function.name == "__call__"


def _is_around_loops(machine: Machine, loop: Loop, events: list[Event], of_data: bool) -> bool:
    """Are the compiled functions called in loops within? What one iteration starts besides is no
    share of a training run. A loop over batches has no such loop within unless that is long, too:
    one over the layers of a model is part of what runs operation by operation.
    """
    own = machine.current | {loop}
    inner = {
        each for event in events if isinstance(event, CompiledCall) for each in event.loops - own
    }
    return bool(inner) and not (
        of_data and not any(machine.met.loops.of(each).is_long for each in inner)
    )


def _deepest(machine: Machine, at: Origin) -> Origin | None:
    """Of what a call starts, the call that starts most of it: a model's, as the last."""
    found: Origin | None = None
    for _ in range(_DEEP):
        function = machine.callees.get(found or at)
        if function is None or function.name == "__call__":
            break
        heaviest = heaviest_call(machine, function)
        whole = machine.started.get(found or at, 0)
        if heaviest is None or heaviest[1] * 2 <= whole:
            break
        found = function.path, heaviest[0]
    return found


def heaviest_call(machine: Machine, function: Function) -> tuple[Span, int] | None:
    """Of the calls outside of its loops, the one that starts most: a whole model, at least."""
    code = list(steps_of(function))
    loops = [i for i in code if i[0] in ("for", "while")]
    inside = {i[-1] for i in instructions(loops) if i[0] == "call"}
    calls = [i[-1] for i in code if i[0] == "call" and i[-1] not in inside]
    counts = {span: machine.started.get((function.path, span), 0) for span in calls}
    most = max(counts, key=counts.__getitem__, default=None)
    return (most, counts[most]) if most is not None and counts[most] >= OF_A_MODEL else None


def as_called(loop: EagerLoop) -> EagerLoop | None:
    """The loop as a caller sees it, who may say how often it goes round."""
    if loop.turns.high <= FEW_TURNS:
        return None
    is_long = loop.is_long or loop.dispatches * loop.turns.low >= _IN_ALL
    return replace(loop, is_long=is_long)


def _mostly(machine: Machine, loop: Instruction, dispatches: int) -> tuple[Span, ...]:
    """The call in the body of a loop that starts most of its operations; or two that share them."""
    calls = dict.fromkeys(i[-1] for i in instructions([loop]) if i[0] == "call")
    counts = {span: machine.started.get((machine.path, span), 0) for span in calls}
    most = sorted(calls, key=lambda span: -counts[span])
    if most and counts[most[0]] * 2 > dispatches:
        return (most[0],)
    both = tuple(most[:2])
    return both if sum(map(counts.__getitem__, both)) * 2 >= dispatches else ()


def _inside(events: list[Event]) -> tuple[tuple[Origin, int], ...]:
    found = {(e.path, e.span): e for e in events if isinstance(e, EagerLoop) and not e.is_long}
    around = {origin for loop in found.values() for origin, _ in loop.inside}
    return tuple((at, loop.dispatches) for at, loop in found.items() if at not in around)


def is_worth_a_word(loop: EagerLoop, sure: Container[Origin]) -> bool:
    """Does it start many operations beside those of the loops of its file that are told of?"""
    inside = sum(count for at, count in loop.inside if at in sure and at[0] == loop.path)
    own = loop.dispatches - inside
    return own == loop.dispatches or are_many(loop.turns, own, False)


def are_many(turns: Size, dispatches: int, beside: bool) -> bool:
    if beside:
        return dispatches >= _BESIDE and dispatches * turns.high >= _IN_ALL
    if not turns.low:
        return dispatches >= _DISPATCHES
    return dispatches >= _LEAST and dispatches * turns.low >= _IN_ALL
