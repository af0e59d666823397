"""Slices that end at minus a remainder, which may be zero (floor `patterns`; must).

`x[:-r]` with `r = n % b` is empty where `b` divides `n`. Under-approximates: the remainder is
computed in the same function, and no condition of the function reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import operands_below, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import spelled

_STEPS = 4


@dataclass(frozen=True, slots=True)
class EmptySlice:
    """`rest`: the remainder as it is written at the slice; `made`: where it is computed."""

    span: Span
    rest: str
    made: Span


def empty_slices(links: Links, function: Function) -> Iterator[EmptySlice]:
    makers = links.makers(function)
    for i in steps_of(function):
        if i[0] not in ("item", "setitem") or (end := _end(links, function, i[3])) is None:
            continue
        rest = _remainder(links, function, end)
        if rest is not None and not _is_asked_for(links, function, end, rest):
            yield EmptySlice(i[-1], spelled(makers, end), rest[-1])


def _end(links: Links, function: Function, key: Register) -> Register | None:
    """`r`, of `:-r`, also as the first of several axes."""
    makers = links.makers(function)
    made = makers.get(key)
    if made is not None and made[:3:2] == ("build", "tuple") and made[3]:
        made = makers.get(made[3][0][1])
    if made is None or made[0] != "slice" or made[3] is None or made[4] is not None:
        return None
    upper = makers.get(made[3])
    return upper[3] if upper is not None and upper[:3:2] == ("unop", "USub") else None


def _remainder(links: Links, function: Function, register: Register) -> Instruction | None:
    """`n % b`, under a name that is bound once."""
    makers = links.makers(function)
    made = makers.get(register)
    for _ in range(_STEPS):
        if made is None or made[0] != "load":
            break
        own = made[3] == 0 or (function.is_module and made[3] < 0)
        stored = links.stores(function).get(made[2], []) if own else []
        made = makers.get(stored[0]) if len(stored) == 1 else None
    if made is None or made[:3:2] != ("binop", "Mod"):
        return None
    sides = [makers.get(each) for each in made[3:5]]
    return None if all(one is not None and one[0] == "const" for one in sides) else made


def _is_asked_for(links: Links, function: Function, register: Register, rest: Instruction) -> bool:
    """Does a condition of the function read the remainder, or compute it?"""
    made = links.makers(function).get(register)
    name = made[2] if made is not None and made[0] == "load" else ""
    for i in steps_of(function):
        if i[0] in ("if", "while", "assert"):
            below = operands_below(function, i[2] if i[0] != "while" else i[3])
            for one in below:
                if one is rest or one[:3:2] == ("binop", "Mod"):
                    return True
                if name and one[0] == "load" and one[2] == name:
                    return True
    return False
