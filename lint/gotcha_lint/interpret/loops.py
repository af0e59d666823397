"""Loops: the first turn on its own, then a fixpoint over the others, which are called steady.

What differs between two turns gets the loop's mark. The first turn apart keeps
`if self.f is None: self.f = jax.jit(...)` quiet, and orders the trace before the later writes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gotcha_lint.domain import affine
from gotcha_lint.domain.sites import Frame
from gotcha_lint.domain.value import (
    INFINITY,
    UNKNOWN,
    Constant,
    Marks,
    Number,
    Object,
    Size,
    Tuple,
    Value,
    as_affine,
    join,
    only,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.interpret.arithmetic import truth
from gotcha_lint.interpret.containers import element
from gotcha_lint.interpret.events import Location, Turn, Unrolled
from gotcha_lint.interpret.heap import contents, contents_of, in_module_method
from gotcha_lint.interpret.machine import Instruction, Machine, Registers
from gotcha_lint.interpret.state import Layer, LoopState

_TURNS = 6  # of the fixpoint; widening starts after the second
_WIDEN_FROM = 2

Loop = tuple[str, int, int]  # path, line, column


def run_for(machine: Machine, instruction: Instruction, registers: Registers) -> None:
    _, _, iterated, target, body, otherwise, comprehension, span = instruction
    loop: Loop = (machine.path, span[0], span[1])
    iterable = registers.get(iterated, UNKNOWN)
    item, turns, why = element(machine, iterable, loop)
    content = contents(machine, iterable)
    if isinstance(content, Tuple):
        machine.listed.add(loop)
    registers[target] = item
    equations = _iterate(machine, loop, body, None, turns)
    if comprehension and turns is not None:
        _set_lengths(machine, body, turns, registers)
    traced = machine.traced or in_module_method(machine)
    if traced and equations and turns is not None and why in ("range", "dim"):
        within = machine.activation.function
        machine.note(Unrolled(machine.path, span, turns, equations, within, machine.calls))
    machine.run(otherwise)


def _set_lengths(
    machine: Machine, body: Sequence[Instruction], turns: Size, registers: Registers
) -> None:
    """The list of a comprehension without conditions is as long as what it goes over."""
    for instruction in body:
        if instruction[0] != "append":
            continue
        made = registers[instruction[2]].only
        if isinstance(made, Object) and made.site.kind == "list":
            content = contents_of(machine, made)
            if isinstance(content, SequenceOf):
                exact = SequenceOf(content.element, turns, content.origin, content.is_range)
                machine.write((made.site, "[]"), only(exact))


def run_while(machine: Machine, instruction: Instruction, registers: Registers) -> None:
    _, _, code, test, body, otherwise, span = instruction
    loop: Loop = (machine.path, span[0], span[1])
    turns: list[Size] = []
    machine.bound_of_test = None

    def check() -> bool | None:
        machine.test_operands = None
        machine.run(code)
        if not turns:
            turns.append(machine.bound_of_test or Size())
        return truth(registers.get(test, UNKNOWN))

    equations = _iterate(machine, loop, body, check, None)
    if machine.traced and equations and turns and turns[0].constant:
        within = machine.activation.function
        machine.note(Unrolled(machine.path, span, turns[0], equations, within, machine.calls))
    machine.run(otherwise)


def _iterate(
    machine: Machine,
    loop: Loop,
    body: Sequence[Instruction],
    test: Callable[[], bool | None] | None,
    turns: Size | None,
) -> int:
    """Runs a loop; returns the equations of one turn."""
    activation = machine.activation
    state = LoopState(len(machine.layers))
    activation.loops.append(state)
    around = machine.current
    before, first = machine.equations, 0
    machine.loops.append((loop, False))
    fix = _Fixpoint(machine, loop)
    never_ends, sides = False, machine.sides
    try:
        for turn in range(_TURNS):
            if turns is not None and turns.high <= 0:
                break
            if turn == 1:
                if turns is not None and turns.high <= 1:
                    break
                machine.loops[-1] = (loop, True)
                machine.current = around | {loop}
            machine.layers.append({})
            known = test() if test is not None else None
            if known is False and turn == 0:
                machine.layers.pop()
                break
            never_ends = never_ends or known is True
            start, uses = len(machine.events), machine.key_uses
            flow = machine.run(body)
            if machine.key_uses != uses:
                machine.events.insert(start, Turn(loop))
            machine.sides = sides
            layer = machine.layers.pop()
            first = first if turn else machine.equations - before
            ends = [layer] if flow is None else []
            ends += state.continues
            state.continues = []
            if not ends:
                break
            if turn == 0:
                machine.merge(ends)
            elif not fix.join(ends, turn, test is not None):
                break
    finally:
        machine.loops.pop()
        machine.current = around
        activation.loops.pop()
    if state.breaks:
        through = never_ends and test is not None
        machine.merge(state.breaks if through else [{}, *state.breaks])
    machine.equations = before + first
    return first


class _Fixpoint:
    """Joins the states at the ends of steady turns into the state before them."""

    def __init__(self, machine: Machine, loop: Loop) -> None:
        self._machine = machine
        self._loop = loop
        self._marks: Marks = frozenset((loop,))
        self._induction: set[Location] = set()

    def join(self, ends: Sequence[Layer], turn: int, is_while: bool) -> bool:
        """Whether anything is new."""
        machine, changed = self._machine, False
        top = machine.layers[-1]
        for layer in ends:
            for place, after in layer.items():
                before = machine.peek(place)
                if before is None:
                    top[place] = after
                    continue
                if before is after or place in self._induction:
                    continue
                new = self._induce(place, before, after) if turn == 1 and is_while else None
                if new is not None:
                    self._induction.add(place)
                else:
                    new = join(before, after, self._marks, turn >= _WIDEN_FROM)
                if new != before:
                    top[place] = new
                    changed = True
        return changed

    def _induce(self, place: Location, before: Value, after: Value) -> Value | None:
        """The variable of a `while` loop that grows by a fixed step: a range of its own."""
        if not isinstance(place[0], Frame):
            return None
        start, end = as_affine(before.only), as_affine(after.only)
        step = affine.add(end, start, -1)
        if step is None or step[0] or step[1] <= 0:
            return None
        first = affine.add(start, step, -1)  # the first turn was run on its own
        operands = self._machine.test_operands
        if operands is not None and operands[0] != before:
            operands = None  # the test looks at something else
        stop = as_affine(operands[1].only) if operands is not None else None
        symbol = ("range", self._loop, place[1])
        self._machine.ranges[symbol] = (first, stop, step)
        low, high = _bounds(before, operands)
        number = Number("int", low, high, affine.symbol(symbol))
        return only(number, before.marks | self._marks)


def _bounds(before: Value, operands: tuple[Value, Value] | None) -> tuple[float, float]:
    start, stop = before.only, operands[1].only if operands is not None else None
    low: float = -INFINITY
    if isinstance(start, Constant) and isinstance(start.value, int):
        low = start.value
    elif isinstance(start, Number):
        low = start.low
    high: float = INFINITY
    if isinstance(stop, Constant) and isinstance(stop.value, int):
        high = stop.value - 1
    elif isinstance(stop, Number):
        high = stop.high
    return low, high
