"""Weights of models that a function reads by a name: the first argument of `apply`.

What such a variable holds is mostly not known (a checkpoint), but not that it is large.
"""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.domain.sites import Origin
from gotcha_lint.program.data_flow import instructions
from gotcha_lint.program.ir import Function, Instruction


def weights_read(functions: Iterable[Function]) -> dict[str, Origin]:
    """Names of variables of functions further out that `apply` is given, and where."""
    out: dict[str, Origin] = {}
    for function in sorted(functions, key=lambda f: (f.path, f.line)):
        for name, origin in _of_function(function).items():
            out.setdefault(name, origin)
    return out


def _of_function(function: Function) -> dict[str, Origin]:
    """`model.apply(params, x)`, `model.apply({"params": params}, x)`."""
    found: dict[str, Origin] = {}
    made: dict[int, Instruction] = {}
    for instruction in instructions(function.body):
        made[instruction[1]] = instruction
        if instruction[0] != "call" or not instruction[3]:
            continue
        callee, (starred, first) = made.get(instruction[2]), instruction[3][0]
        if starred or callee is None or callee[0] != "attr" or callee[3] != "apply":
            continue
        for register in _parts(made.get(first), first):
            read = made.get(register)
            if (
                read is not None
                and read[0] == "load"
                and read[3]
                and read[2] not in function.locals
            ):
                found.setdefault(read[2], (function.path, instruction[-1]))
    return found


def _parts(instruction: Instruction | None, register: int) -> list[int]:
    if instruction is not None and instruction[0] == "dict":
        return [value for _, value in instruction[2]]
    return [register]
