"""Calls whose result takes the place of one of their arguments: `state, loss = step(state, batch)`.

The old value is of no use any more once the call is done, unless it has another name besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span

Variable = tuple[Any, ...]  # ("name", name, hops) or ("attr", variable, attribute)
Argument = int | str | None  # by position, by name, or one of `*args`
Rebindings = Mapping[Span, tuple[tuple[Argument, str], ...]]


def rebindings(function: Function) -> Rebindings:
    """By the span of a call: its arguments that the result replaces, and how they are written."""
    read: dict[Register, Variable] = {}
    taken_from: dict[Register, Register] = {}  # elements of a result
    calls: dict[Register, Instruction] = {}
    written: list[tuple[Variable, Register]] = []
    for instruction in _flat(function.body):
        operation, target = instruction[:2]
        if operation == "load":
            read[target] = ("name", instruction[2], instruction[3])
        elif operation == "attr" and instruction[2] in read:
            read[target] = ("attr", read[instruction[2]], instruction[3])
        elif operation == "unpack":
            taken_from.update(dict.fromkeys(instruction[3], instruction[2]))
        elif operation == "item":
            taken_from[target] = instruction[2]
        elif operation == "call":
            calls[target] = instruction
        elif operation == "store":
            written.append((("name", instruction[2], instruction[3]), instruction[4]))
        elif operation == "setattr" and instruction[2] in read:
            written.append((("attr", read[instruction[2]], instruction[3]), instruction[4]))
    replaced: dict[Register, set[Variable]] = {}
    for variable, value in written:
        seen = {value}
        while value in taken_from and taken_from[value] not in seen:
            value = taken_from[value]
            seen.add(value)
        if value in calls:
            replaced.setdefault(value, set()).add(variable)
    found: dict[Span, tuple[tuple[Argument, str], ...]] = {}
    for target, variables in replaced.items():
        _, _, _, positional, keywords, span = calls[target]
        given: list[tuple[Argument, Register]] = [
            (None if starred else index, register)
            for index, (starred, register) in enumerate(positional)
        ]
        given += [(name, register) for name, register in keywords]
        found[span] = tuple(
            (argument, _text(read[register]))
            for argument, register in given
            if register in read and read[register] in variables
        )
    return {span: arguments for span, arguments in found.items() if arguments}


@lru_cache(maxsize=256)
def names_bound_in(function: Function) -> Mapping[tuple[int, int], frozenset[str]]:
    """By the line and column of a loop: the names, and attributes, that its body writes."""
    return {
        i[-1][:2]: frozenset(
            step[3] if step[0] == "setattr" else step[2]
            for step in _flat([i])
            if step[0] in ("store", "setattr")
        )
        for i in _flat(function.body)
        if i[0] in ("for", "while")
    }


def _flat(region: Region) -> Iterator[Instruction]:
    """All instructions of a function, those of its branches and loops too."""
    for instruction in region:
        yield instruction
        for operand in instruction:
            if isinstance(operand, list):
                for part in operand:
                    yield from _flat(part if isinstance(part, list) else [part])


def _text(variable: Variable) -> str:
    return variable[1] if variable[0] == "name" else f"{_text(variable[1])}.{variable[2]}"
