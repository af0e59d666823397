"""Branches and exceptions: each path in a layer of its own, joined where they meet.

In a branch, the place that its test looked at holds only what passes the test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gotcha_lint.domain.freshness import after, made_in, without_histories
from gotcha_lint.domain.value import (
    NO_MARKS,
    UNKNOWN,
    Array,
    Constant,
    Library,
    Number,
    Tuple,
    Value,
    only,
)
from gotcha_lint.interpret.arithmetic import truth
from gotcha_lint.interpret.comparison import OF_PROCESS, is_process_index
from gotcha_lint.interpret.events import Guard
from gotcha_lint.interpret.faults.names import note_partly_bound
from gotcha_lint.interpret.faults.swallowed import check_handlers
from gotcha_lint.interpret.faults.traced import check_test, word_of_branch
from gotcha_lint.interpret.host import read
from gotcha_lint.interpret.keys import Differing, differing, name_chosen
from gotcha_lint.interpret.layers.chance import is_drawn
from gotcha_lint.interpret.machine import STOP, Instruction, Machine, Registers
from gotcha_lint.interpret.state import Layer

TRUTH = "truth"  # the test asks whether the place is true at all
HOST = "host"  # ... whether it is a number or a text of Python
DEVICE = "device"  # ... whether it is an array of JAX
_OF_HOST = frozenset(("builtins.int", "builtins.float", "builtins.bool", "builtins.str"))
_KINDS = (TRUTH, HOST, DEVICE)
_OF_DEVICE = frozenset(("jax.Array", "jax.numpy.ndarray"))
_SAME = {"Is": True, "Eq": True, "IsNot": False, "NotEq": False}


def note_instance_test(
    machine: Machine, target: int, callee: Value, args: Sequence[tuple[bool, int]], r: Registers
) -> None:
    """Keeps which place `isinstance(x, float)` looked at: what passes is no array of JAX.

    With `isinstance(x, jax.Array)` it is one.
    """
    if callee.only != Library("builtins.isinstance") or len(args) != 2:
        return
    (_, register), (_, classes) = args
    kinds = r.get(classes, UNKNOWN).only
    all_of = [item.only for item in kinds.items] if isinstance(kinds, Tuple) else [kinds]
    names = {one.name if isinstance(one, Library) else "" for one in all_of}
    source = machine.activation.sources.get(register)
    for kinds_of, asked in ((_OF_HOST, HOST), (_OF_DEVICE, DEVICE)):
        if source is not None and names and names <= kinds_of:
            machine.activation.tests[target] = source, asked, True


def note_test(
    machine: Machine, target: int, operator: str, left: int, right: int, a: Value, b: Value
) -> None:
    """Keeps which place a comparison looked at, for the branches that depend on it."""
    if operator not in _SAME:
        return
    sources = machine.activation.sources
    number = a.only
    if _SAME[operator] and isinstance(number, Number) and a.marks and b.constant is not None:
        machine.activation.shares[target] = number.high - number.low + 1
    for register, other in ((left, b), (right, a)):
        atom = other.only
        if register in sources and isinstance(atom, Constant):
            machine.activation.tests[target] = sources[register], atom.value, _SAME[operator]
            return


def branch(machine: Machine, instruction: Instruction, registers: Registers) -> str | None:
    """`if`: the branch that is taken where the test is known, else both."""
    _, _, test, then, otherwise, guard, span = instruction
    value = registers.get(test, UNKNOWN)
    for mark in value.marks:
        if isinstance(mark, tuple) and mark[0] == "ragged":  # it looks at the short batch itself
            machine.handled.add(mark[1])
    known = truth(value)
    if known is not None:
        return machine.run(then if known else otherwise)
    check_test(machine, value, test, word_of_branch(instruction), span)
    seen = read(machine, (value,), span, "if", symbols=False)
    marks = after(value.marks, seen) if seen else value.marks
    asked_marks, marks = marks, marks - OF_PROCESS  # what is chosen by it is no test
    if is_process_index(value):
        asked_marks |= OF_PROCESS
    stable = _is_stable(machine, value, test)
    ended, skips = _early_ends(machine), False
    machine.guarded += guard
    asked = machine.activation.tests.get(test)
    if asked is None and test in machine.activation.sources:
        asked = machine.activation.sources[test], TRUTH, True
    around, going_on = machine.sides, []
    share, current = machine.activation.shares.get(test, 0), machine.current
    before, started = machine.dispatches, []
    try:
        ends: list[Layer] = []
        tested: list[Layer] = []
        for code, holds in ((then, True), (otherwise, False)):
            refined = _refined(machine, asked, holds)
            machine.layers.append(dict(refined))
            once = holds and _is_one_turn(machine, asked)
            machine.guarded += once
            machine.sides = around | {span: holds}
            if asked is not None:  # another test of the same place goes the same way
                machine.sides[asked[0], asked[1]] = asked[2] == holds
                if asked[2] == holds and asked[1] not in (
                    TRUTH,
                    HOST,
                    DEVICE,
                ):  # it equals nothing else
                    machine.sides[asked[0]] = asked[1]
            guards = machine.guards
            part = share if holds else 0
            asks = Guard(machine.path, span, holds, asked_marks, stable, share=part, loops=current)
            machine.guards = (*guards, asks)
            flow = machine.run(code)
            going_on += [machine.sides] if flow is None else []
            started += [machine.dispatches] if flow is None else []
            machine.dispatches = before
            machine.sides, machine.guards = around, guards
            skips = skips or (flow is not None and _early_ends(machine) > ended)
            machine.guarded -= once
            layer = machine.layers.pop()
            if flow is None:
                ends.append(layer)
                tested.append(refined)
    finally:
        machine.guarded -= guard
    if len(ends) < 2 and marks:
        machine.activation.control |= marks
    if not ends:
        return STOP
    machine.dispatches = min(started)  # so many are started on each path
    if max(started) > min(started) and machine.loops and is_drawn(machine, test, registers):
        machine.dispatches = max(started)
    if len(ends) == 1:  # what follows is the rest of the branch that goes on
        machine.sides = going_on[0]
    if skips:  # the rest runs only where it was not skipped
        machine.guards = (
            *machine.guards,
            Guard(machine.path, span, False, asked_marks, stable, loops=current),
        )
    keys: Differing = []
    if len(ends) > 1:
        for layer, refined in zip(ends, tested, strict=True):  # what no branch has written stays
            for place, value in refined.items():
                if layer.get(place) is value:
                    del layer[place]
        note_partly_bound(machine, ends, span)
        keys = differing(machine, *ends)
    machine.merge(ends, marks)
    name_chosen(machine, keys, span)
    if seen:  # what was read decides what is written, even where both are unknown
        top = machine.layers[-1]
        for layer in ends:
            for place in layer:
                top[place] = top[place].marked(seen)
    return None


def _early_ends(machine: Machine) -> int:
    """How often the turn of the innermost loop, or else the function, was ended early so far."""
    activation = machine.activation
    return len(activation.loops[-1].continues if activation.loops else activation.returns)


def _is_stable(machine: Machine, value: Value, test: int) -> bool:
    """Would it give the same again, as far as its marks do not say otherwise?

    Of something unknown this holds where it is kept in a place that this function does not write.
    """
    if not value.unknown:
        return True
    place: Any = machine.activation.sources.get(test)
    if place is None:
        return False
    while isinstance(place[0], tuple):
        place = place[0]
    return not any(place in layer for layer in machine.layers[machine.activation.base + 1 :])


def _is_one_turn(machine: Machine, asked: tuple[Any, Any, bool] | None) -> bool:
    """`if step == 0:` holds in one turn of the loop that counts the steps."""
    if asked is None or asked[1] is TRUTH or not asked[2] or isinstance(asked[1], bool):
        return False
    value = machine.peek(asked[0])
    return isinstance(asked[1], int) and value is not None and bool(value.marks)


def _refined(machine: Machine, asked: tuple[Any, Any, bool] | None, holds: bool) -> Layer:
    """What is known at the start of a branch: the place that was asked, without what fails."""
    if asked is None:
        return {}
    place, constant, same = asked
    value = machine.peek(place)
    wanted = same == holds
    if constant is HOST:
        return {place: _of_host(value)} if wanted and value is not None and value.unknown else {}
    if constant is DEVICE:
        is_unknown = value is not None and value.unknown and not value.atoms
        return {place: _of_device(value)} if value is not None and wanted and is_unknown else {}
    if value is not None and wanted and type(constant) in (int, float) and _are_numbers(value):
        return {place: only(Constant(constant, type(constant).__name__), value.marks)}
    if value is None or len(value.atoms) + value.unknown < 2:
        return {}
    if constant is TRUTH:
        kept = [a for a in value.atoms if truth(Value((a,))) in (None, wanted)]
        unknown = value.unknown
    else:
        kept = [a for a in value.atoms if _may_equal(a, constant, wanted)]
        unknown = value.unknown and not (wanted and constant is None)
    if (len(kept) == len(value.atoms) and unknown == value.unknown) or not (kept or unknown):
        return {}
    return {place: Value(kept, unknown, value.marks, value.choice)}


def _of_host(value: Value) -> Value:
    """Something unknown that is no array: there is nothing to wait for."""
    kept = [atom for atom in value.atoms if not isinstance(atom, Array)]
    marks = without_histories(value.marks - made_in(value.marks))
    return Value(kept, True, marks, value.choice)


def _of_device(value: Value) -> Value:
    return only(Array(None, False, None), value.marks)


def _are_numbers(value: Value) -> bool:
    return not value.unknown and all(isinstance(atom, Number) for atom in value.atoms)


def _may_equal(atom: Any, constant: Any, wanted: bool) -> bool:
    """Can this alternative (not) be the constant?"""
    if isinstance(atom, Constant):
        same = atom.value is constant or (
            type(atom.value) is type(constant) and atom.value == constant
        )
        return same == wanted
    return not (wanted and constant is None)


def attempt(machine: Machine, instruction: Instruction) -> str | None:
    """`try`: its body may end anywhere, so a handler starts from before and from after it."""
    _, _, body, handlers, otherwise, final, span = instruction
    machine.layers.append({})
    machine.trying += bool(handlers)
    asked, machine.asked = machine.asked, []
    try:
        flow = machine.run(body)
    finally:
        machine.trying -= bool(handlers)
        check_handlers(machine, instruction)
        machine.asked = asked
    flow = flow or machine.run(otherwise)
    done = machine.layers.pop()
    ends = [done] if flow is None else []
    for handler in handlers:
        machine.layers.append({})
        machine.merge([{}, done])
        guards = machine.guards
        failed = Guard(machine.path, span, True, NO_MARKS, False, loops=machine.current)
        machine.guards = (*guards, failed)
        flow = machine.run(handler)
        machine.guards = guards
        layer = machine.layers.pop()
        if flow is None:
            ends.append(layer)
    if ends:
        machine.merge(ends)
    flow = machine.run(final)
    return flow or (None if ends else STOP)
