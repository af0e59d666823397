"""Leaves of a replicated state that Python takes for one number (floor `patterns`).

Must, for the `step` of a state: `replicate` gives it an axis for the devices. May, for another
field, which may be no leaf. Under-approximates: in one function, by the name of the state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.saved_states import replicated_names
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_NUMBERS = frozenset(("int", "float", "bool"))
_ORDERS = frozenset(("Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"))
_DEPTH = 6


@dataclass(frozen=True, slots=True)
class ReplicatedValue:
    """`word`: "if", "while" or a type; `name`: as it is written; `replicated`: where that is."""

    span: Span
    word: str
    name: str
    replicated: Span
    certain: bool


def replicated_values(module: Module, function: Function) -> Iterator[ReplicatedValue]:
    """The tests and casts of one function."""
    if {"replicate", "device_put_replicated"}.isdisjoint(names_used(function)):
        return
    reader = NamedReader(module, function)
    found: set[Register] = set()
    for store, made in replicated_names(reader):
        at = reader.order[id(store)]
        for i in steps_of(function):
            tested = _tested(reader, i)
            if tested is None or tested[0] in found or reader.order[id(i)] < at:
                continue
            field = _field(reader, tested[0], store[2], 0)
            if field is not None:
                found.add(tested[0])
                span = reader.makers[tested[0]][-1]
                name = f"{store[2]}.{field}"
                yield ReplicatedValue(span, tested[1], name, made[-1], field == "step")


def _tested(reader: NamedReader, i: Instruction) -> tuple[Register, str] | None:
    """What Python takes the truth of, or makes a number of."""
    if i[0] == "if":
        made = reader.makers.get(i[2])
        return (i[2], "if") if made is not None and made[0] in ("compare", "binop") else None
    if i[0] == "while":
        return i[3], "while"
    if i[0] == "call" and len(i[3]) == 1 and not i[4] and not i[3][0][0]:
        callee = reader.makers.get(i[2])
        if callee is not None and callee[0] == "load" and callee[2] in _NUMBERS and callee[3] == -1:
            return i[3][0][1], callee[2]
    return None


def _field(reader: NamedReader, register: Register, name: str, depth: int) -> str | None:
    """`step`, of `state.step % 10 == 0`: arithmetic keeps the axis."""
    made = reader.makers.get(register)
    if made is None or depth > _DEPTH:
        return None
    if made[0] == "attr":
        base = reader.makers.get(made[2])
        is_state = base is not None and base[0] == "load" and base[2] == name
        return made[3] if is_state else None
    if made[0] == "binop" or (made[0] == "compare" and made[2] in _ORDERS):
        left = _field(reader, made[3], name, depth + 1)
        return left if left is not None else _field(reader, made[4], name, depth + 1)
    return None
