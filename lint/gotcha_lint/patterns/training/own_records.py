"""Tests whether a value is the best of a list that holds it already (floor `patterns`; must).

`scores.append(loss)`, and later `loss < min(scores)`: at best they are equal. Under-approximates:
the list is a name with dots that only grows; the value is the same by its text, through casts.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.enclosing import Around, enclosing
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import dotted, spelled

_BEYOND = {"Lt": "min", "Gt": "max"}  # of `value ... best`
_WITHIN = {"Gt": "min", "Lt": "max"}  # of `best ... value`
_SAME = frozenset(("float", "int", "device_get", "asarray", "array"))  # of one number
_SHRINKS = frozenset(("pop", "clear", "remove", "popleft"))
_STEPS = 8


@dataclass(frozen=True, slots=True)
class OwnRecord:
    """`span` asks whether a value is better than all `values`; `added`: where it was put there."""

    span: Span
    value: str
    values: str
    added: Span


def own_records(links: Links, function: Function) -> Iterator[OwnRecord]:
    steps = steps_of(function)
    added = [each for i in steps if (each := _appended(links, function, i)) is not None]
    if not added:
        return
    around = enclosing(function)
    order = {id(i): n for n, i in enumerate(steps)}
    for step in steps:
        asked = _asked(links, function, step) if step[0] == "compare" else None
        if asked is None:
            continue
        value, values = asked
        same, names = _value(links, function, value)
        for call, owner, register in added:
            put, others = _value(links, function, register)
            first, last = order[id(call)], order[id(step)]
            if (
                (owner, put) == (values, same)
                and first < last
                and _leads_to(around[id(call)], around[id(step)])
                and not _changed(links, function, steps[first + 1 : last], owner, names | others)
            ):
                name = spelled(links.makers(function), value)
                yield OwnRecord(step[-1], name, values, call[-1])
                break


def _appended(
    links: Links, function: Function, i: Instruction
) -> tuple[Instruction, str, Register] | None:
    """`scores.append(value)`: the call, the list, the value."""
    if i[0] != "call" or len(i[3]) != 1 or i[4] or i[3][0][0]:
        return None
    makers = links.makers(function)
    callee = makers.get(i[2])
    if callee is None or callee[0] != "attr" or callee[3] != "append":
        return None
    owner = dotted(makers, callee[2])
    return (i, owner, i[3][0][1]) if owner else None


def _asked(links: Links, function: Function, compare: Instruction) -> tuple[Register, str] | None:
    """`value < min(scores)`, either way round: the value and the list."""
    _, _, operator, left, right, _ = compare
    for value, other, ends in ((left, right, _BEYOND), (right, left, _WITHIN)):
        made = links.makers(function).get(other)
        if made is None or made[0] != "call" or len(made[3]) != 1 or made[4] or made[3][0][0]:
            continue
        name = links.dotted(function, made[2]).rpartition(".")[2]
        values = dotted(links.makers(function), made[3][0][1])
        if values and name and ends.get(operator) == name:
            return value, values
    return None


def _value(links: Links, function: Function, register: Register) -> tuple[Hashable, set[str]]:
    """What makes equal values, a register or a name, and the names on the way to it.

    Casts of one number are left out.
    """
    makers, names = links.makers(function), set[str]()
    for _ in range(_STEPS):
        made = makers.get(register)
        if made is None:
            break
        if made[0] == "load":
            names.add(made[2])
            stored = links.stores(function).get(made[2], [])
            made_here = makers.get(stored[0]) if len(stored) == 1 else None
            if made[3] != 0 or made_here is None or made_here[0] == "unpack":
                return made[2], names
            register = stored[0]
        elif made[0] == "call" and len(made[3]) == 1 and links.word(function, made[2]) in _SAME:
            register = made[3][0][1]
        elif made[0] == "call" and not made[3] and links.word(function, made[2]) == "item":
            register = makers[made[2]][2]
        elif made[0] == "item" and (key := makers.get(made[3])) is not None and key[0] == "const":
            whole, others = _value(links, function, made[2])
            return (whole, key[2]), names | others
        else:
            break
    return register, names


def _leads_to(first: tuple[Around, ...], later: tuple[Around, ...]) -> bool:
    """Is the later place in the same block, or in one within?"""
    return len(first) <= len(later) and all(
        a.block is b.block and a.part == b.part for a, b in zip(first, later, strict=False)
    )


def _changed(
    links: Links,
    function: Function,
    between: Sequence[Instruction],
    values: str,
    names: set[str],
) -> bool:
    """Is the list made shorter, or the list or a name bound again?"""
    makers, parts = links.makers(function), values.split(".")
    for i in between:
        if i[0] == "delete" or (i[0] == "setattr" and i[3] in parts):
            return True
        if i[0] == "store" and (i[2] in parts or i[2] in names):
            return True
        callee = makers.get(i[2]) if i[0] == "call" else None
        shrinks = callee is not None and callee[0] == "attr" and callee[3] in _SHRINKS
        if callee is not None and shrinks and dotted(makers, callee[2]) == values:
            return True
    return False
