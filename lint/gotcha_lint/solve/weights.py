"""Weights of models that a function reads by a name, or from `self`: the first argument of `apply`.

What such a variable holds is mostly not known (a checkpoint), but not that it is large.
"""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.domain.sites import Origin
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction


def weights_read(functions: Iterable[Function]) -> dict[str, Origin]:
    """What `apply` is given, and where: variables of functions further out, fields of `self`.

    A field is named with a dot: `.params`.
    """
    out: dict[str, Origin] = {}
    for function in sorted(functions, key=lambda f: (f.path, f.line)):
        for name, origin in _of_function(function).items():
            out.setdefault(name, origin)
    return out


def _of_function(function: Function) -> dict[str, Origin]:
    """`model.apply(params, x)`, `model.apply({"params": params}, x)`."""
    found: dict[str, Origin] = {}
    made: dict[int, Instruction] = {}
    for instruction in steps_of(function):
        made[instruction[1]] = instruction
        if instruction[0] != "call" or not instruction[3]:
            continue
        callee, (starred, first) = made.get(instruction[2]), instruction[3][0]
        if starred or callee is None or callee[0] != "attr" or callee[3] != "apply":
            continue
        for register in _parts(made.get(first), first):
            name = _name_of(function, made, register)
            if name:
                found.setdefault(name, (function.path, instruction[-1]))
    return found


def _name_of(function: Function, made: dict[int, Instruction], register: int) -> str:
    read = made.get(register)
    if read is None:
        return ""
    if read[0] == "load" and read[3] and read[2] not in function.locals:
        return read[2]
    holder = made.get(read[2]) if read[0] == "attr" else None
    first = function.parameters[0].name if function.parameters else ""
    is_self = holder is not None and holder[0] == "load" and holder[2] == first == "self"
    return f".{read[3]}" if is_self else ""


def _parts(instruction: Instruction | None, register: int) -> list[int]:
    if instruction is not None and instruction[0] == "dict":
        return [value for _, value in instruction[2]]
    return [register]
