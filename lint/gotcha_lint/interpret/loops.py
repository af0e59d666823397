"""Loops: the first turn on its own, then a fixpoint over the others, which are called steady.

What differs between two turns gets the loop's mark. The first turn apart keeps
`if self.f is None: self.f = jax.jit(...)` quiet, and orders the trace before the later writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.freshness import TURN, aged
from gotcha_lint.domain.met import Loop, LoopFacts
from gotcha_lint.domain.sites import Frame
from gotcha_lint.domain.value import (
    INFINITY,
    UNKNOWN,
    Constant,
    Marks,
    Number,
    Object,
    Size,
    Symbol,
    Tuple,
    Value,
    as_affine,
    join,
    only,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.interpret.arithmetic import truth
from gotcha_lint.interpret.containers.iteration import element
from gotcha_lint.interpret.events import Guard, Location, Turn, Unrolled
from gotcha_lint.interpret.faults.set_orders import check_loop
from gotcha_lint.interpret.faults.traced import check_test
from gotcha_lint.interpret.heap import contents, contents_of, in_module_method, is_module_class
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.layers.eager_loops import FEW_TURNS, note_eager
from gotcha_lint.interpret.machine import Instruction, Machine, Registers
from gotcha_lint.interpret.state import Layer, LoopState
from gotcha_lint.patterns.recurrences import carries_state
from gotcha_lint.program.data_flow import instructions
from gotcha_lint.program.ir import Region, Register

_TURNS = 6  # of the fixpoint; widening starts after the second
_WIDEN_FROM = 2
_APART = 32  # functions in a container that a loop calls one by one
_CONSTRUCTORS = ("__init__", "__post_init__", "setup")  # they make layers, and apply none


def _are_settings(item: Value, turns: Size | None) -> bool:
    """The keys of a short dict, or of one of two: as a list that is written out."""
    counts = item.unknown or any(not isinstance(atom, Constant) for atom in item.atoms)
    return turns is not None and turns.high <= FEW_TURNS and bool(item.atoms) and not counts


def run_for(machine: Machine, instruction: Instruction, registers: Registers) -> None:
    _, _, iterated, target, body, otherwise, comprehension, span = instruction
    loop: Loop = (machine.path, span[0], span[1])
    iterable = registers.get(iterated, UNKNOWN)
    callables = _callables(machine, iterable)
    if callables:
        _one_by_one(machine, callables, target, body, registers)
        machine.run(otherwise)
        return
    item, turns, why = element(machine, iterable, loop)
    if isinstance(contents(machine, iterable), Tuple) or _are_settings(item, turns):
        machine.note_loop(loop, LoopFacts(turns, listed=True))
    elif turns is not None:
        machine.note_loop(loop, LoopFacts(turns))
    registers[target] = item
    if turns is not None and turns.high <= FEW_TURNS:
        machine.short.add(loop)
    else:
        machine.short.discard(loop)
    start = len(machine.events)
    equations, dispatches = _iterate(machine, loop, body, None, turns)
    endless = iterable.unknown and not iterable.atoms
    note_eager(machine, instruction, turns or Size(), dispatches, start, endless)
    if comprehension and turns is not None:
        _set_lengths(machine, body, turns, registers)
    of_module = in_module_method(machine)
    traced = machine.traced or of_module
    traced = traced and machine.activation.function.name not in _CONSTRUCTORS
    if traced:
        check_loop(machine, instruction, equations, registers)
    if traced and equations and turns is not None and why is not None:
        within = machine.activation.function
        alike = not of_module and not _reads_turn(body, target)
        steps = (why == "dim" or _is_axis(turns)) and carries_state(body)
        machine.note(
            Unrolled(machine.path, span, turns, equations, within, machine.calls, alike, steps)
        )
    elif traced and equations and _are_modules(item):  # a configuration says how many
        within = machine.activation.function
        machine.note(Unrolled(machine.path, span, Size(), equations, within, machine.calls))
    machine.run(otherwise)


def _is_axis(turns: Size) -> bool:
    """Is it as long as an axis of an array?"""
    names = turns.affine[0] if turns.affine is not None else ()
    return any(isinstance(name, Symbol) and ".shape" in name.path for name, _ in names)


def _reads_turn(body: Region, target: Register) -> bool:
    """Does the body of a loop read the name that counts its turns?"""
    names = {i[2] for i in body if i[0] == "store" and i[4] == target}
    return not names or any(i[0] == "load" and i[2] in names for i in instructions(body))


def _callables(machine: Machine, value: Value) -> Sequence[Value]:
    """The elements of a container that holds different functions: each is called once, in order."""
    atom = value.only
    content = contents_of(machine, atom) if atom is not None else None
    if not isinstance(content, Tuple) or not 1 < len(content.items) <= _APART:
        return ()
    sites = {
        each.only.site
        for each in content.items
        if isinstance(each.only, Object) and each.only.site.kind in ("function", "transform")
    }
    return content.items if len(sites) == len(content.items) else ()


def _one_by_one(
    machine: Machine,
    items: Sequence[Value],
    target: int,
    body: Sequence[Instruction],
    registers: Registers,
) -> None:
    """Runs the body once for each element."""
    state = LoopState(len(machine.layers))
    machine.activation.loops.append(state)
    try:
        for item in items:
            registers[target] = item
            machine.layers.append({})
            flow = machine.run(body)
            layer = machine.layers.pop()
            ends = ([layer] if flow is None else []) + state.continues
            state.continues = []
            if not ends:
                break
            machine.merge(ends)
    finally:
        machine.activation.loops.pop()
    if state.breaks:
        machine.merge([{}, *state.breaks])


def _are_modules(item: Value) -> bool:
    """Layers of a network, of one class: a scan could go over their stacked parameters.

    With `enumerate` and `zip`, a part of the item is the layer.
    """
    pair = item.only
    if isinstance(pair, Tuple):
        return any(map(_are_modules, pair.items))
    classes = [a.site.info.get("class") for a in item.atoms if isinstance(a, Object)]
    kinds = {cls for cls in classes if cls is not None}
    return len(kinds) == 1 and len(classes) == len(item.atoms) and all(map(is_module_class, kinds))


def _set_lengths(
    machine: Machine, body: Sequence[Instruction], turns: Size, registers: Registers
) -> None:
    """The list of a comprehension is as long as what it goes over: `[b for a in x for b in y]`.

    With conditions, or as a set, it is so long at most.
    """
    for list_of, size, conditional in _appends(machine, body, turns):
        made = registers[list_of].only
        content = contents_of(machine, made) if isinstance(made, Object) else None
        if isinstance(made, Object) and isinstance(content, SequenceOf):
            if conditional or made.site.kind != "list":  # a set may hold fewer
                size = Size(0, size.high, size.marks | content.size.marks)
            exact = SequenceOf(content.element, size, content.origin, content.is_range)
            machine.write((made.site, "[]"), only(exact))


def _appends(
    machine: Machine, body: Sequence[Instruction], turns: Size, conditional: bool = False
) -> Iterator[tuple[Register, Size, bool]]:
    """The lists that the body fills, how often, and whether under a condition.

    Not those that the body itself makes: `[[f(b) for b in y] for a in x]`.
    """
    own = {instruction[1] for instruction in body if instruction[0] == "build"}
    for instruction in body:
        inner: Iterator[tuple[Register, Size, bool]] = iter(())
        if instruction[0] == "append":
            inner = iter(((instruction[2], turns, conditional),))
        elif instruction[0] == "if":
            inner = _appends(machine, instruction[3], turns, True)
        elif instruction[0] == "for":
            loop = (machine.path, *instruction[-1][:2])
            times = machine.activation.loops_met.turns(loop) or Size()
            inner = _appends(machine, instruction[4], _times(turns, times), conditional)
        yield from (each for each in inner if each[0] not in own)


def _times(outer: Size, inner: Size) -> Size:
    if INFINITY in (outer.high, inner.high):
        return Size(outer.low * inner.low, INFINITY, outer.marks | inner.marks)
    return Size(outer.low * inner.low, outer.high * inner.high, outer.marks | inner.marks)


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
        value = registers.get(test, UNKNOWN)
        check_test(machine, value, test, "while", span)
        asked = read(machine, (value,), span, "while", symbols=False) | value.marks
        asks = Guard(machine.path, span, True, asked, True, of_loop=True, loops=machine.current)
        machine.guards = (*around, asks)
        return truth(value)

    around = machine.guards
    start = len(machine.events)
    equations, dispatches = _iterate(machine, loop, body, check, None)
    machine.guards = around
    known = turns[0] if turns else Size()
    note_eager(machine, instruction, known, dispatches, start, True)
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
) -> tuple[int, int]:
    """Runs a loop; returns the equations and the dispatches of one iteration."""
    machine.reading.discard(loop)  # what another context has seen says nothing here
    activation = machine.activation
    state = LoopState(len(machine.layers))
    activation.loops.append(state)
    around, guards = machine.current, machine.guards
    before, first = machine.equations, 0
    started, eager = machine.dispatches, 0
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
            machine.guards = guards
            state.start = len(machine.events)
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
            _age(machine, layer, *state.continues)
            first = first if turn else machine.equations - before
            eager = eager if turn else machine.dispatches - started
            ends = [layer] if flow is None else []
            ends += state.continues
            state.continues = []
            if not ends:
                break
            if turn == 0:
                machine.merge(ends)
            elif not fix.join(ends, turn, test is not None):
                break
            if fix.was_wrong:  # what was noted rests on a guess; the next turn notes it again
                del machine.events[start:]
    finally:
        machine.loops.pop()
        machine.current, machine.guards = around, guards
        activation.loops.pop()
    if state.breaks:
        through = never_ends and test is not None
        machine.merge(state.breaks if through else [{}, *state.breaks])
    machine.equations, machine.dispatches = before + first, started + eager
    return first, eager


def _age(machine: Machine, *layers: Layer) -> None:
    """At the end of a turn, what was made in it becomes something that an earlier turn has made."""
    for layer in layers:
        for place, value in layer.items():
            layer[place] = aged(value, machine.aged)


class _Fixpoint:
    """Joins the states at the ends of steady turns into the state before them."""

    def __init__(self, machine: Machine, loop: Loop) -> None:
        self._machine = machine
        self._loop = loop
        self._marks: Marks = frozenset((loop,))
        self._written: Marks = frozenset(((TURN, loop),))
        self._induction: set[Location] = set()
        self._carried: dict[Location, Value] = {}  # guesses, with what stands there if they fail
        self.was_wrong = False  # was one of them, in this turn?

    def join(self, ends: Sequence[Layer], turn: int, is_while: bool) -> bool:
        """Whether anything is new."""
        machine, changed, self.was_wrong = self._machine, False, False
        top = machine.layers[-1]
        for layer in ends:
            for place, after in layer.items():
                before = machine.peek(place)
                if before is None:
                    top[place] = after
                    continue
                if place in self._induction or (before is after and not after.unknown):
                    continue
                if place in self._carried:
                    if goes_on(before, after):
                        continue
                    before, self.was_wrong = self._carried.pop(place), True
                new = self._induce(place, before, after) if turn == 1 and is_while else None
                if new is None and turn == 1 and len(ends) == 1:
                    new = self._carry(place, before, after)
                    if new is not None:
                        top[place], changed = new, True
                        continue
                if new is not None:
                    self._induction.add(place)
                else:
                    new = join(before, after, self._marks, turn >= _WIDEN_FROM)
                    if new.unknown and not new.marks & self._marks:
                        new = new.marked(self._written)
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

    def _carry(self, place: Location, before: Value, after: Value) -> Value | None:
        guess = None if before.constant == 0 else carried(self._loop, place[1], before, after)
        if guess is not None:
            self._carried[place] = join(before, after, self._marks)
        return guess


def carried(loop: Loop, name: str, before: Value, after: Value) -> Value | None:
    """A number that may be worked out of the one before: the next iteration shows it."""
    kinds = {a.only.type for a in (before, after) if isinstance(a.only, (Constant, Number))}
    if before == after or len(kinds) != 1 or not kinds <= {"int", "float"}:
        return None
    plain = join(before, after, frozenset((loop,)), widen=True)
    atom = plain.only
    if not isinstance(atom, Number) or plain.unknown:
        return None
    symbol = affine.symbol(("carried", loop, name))
    return Value((replace(atom, affine=symbol),), False, plain.marks, plain.choice)


def goes_on(before: Value, after: Value) -> bool:
    """Is it one step further, as in `n += 1` and `rate *= 0.9`, so that no number comes twice?"""
    old, new = before.only, after.only
    if not isinstance(old, Number) or not isinstance(new, Number):
        return False
    if old.affine is None or new.affine is None or before.unknown or after.unknown:
        return False
    difference = affine.add(new.affine, old.affine, -1)
    if difference is not None and not difference[0]:
        return difference[1] != 0
    names, rest = new.affine
    if len(names) != 1 or rest or names[0][1] != 1:
        return False
    name: Any = names[0][0]
    if not isinstance(name, tuple) or name[0] != "one-to-one" or name[1] != old.affine:
        return False
    ((operator, number, side), _), *_ = name[2][0]
    if operator == "Add":
        return bool(number != 0)
    if operator == "Sub":
        return bool(number != 0 and side == "left")
    turns = operator == "Mult" or (operator == "Div" and side == "left")
    return turns and number not in (0, 1, -1)


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
