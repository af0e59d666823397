"""Tests in a loop that wait for its end, and never hold (floor `patterns`; must).

`for epoch in range(epochs)` ends at `epochs - 1`. Under-approximates: the end is a number or a name
with dots that the loop does not write, and the loop alone counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.spelled import dotted

_REACHED = frozenset(("Eq", "GtE", "Gt"))  # of `counter ... end`
_REACHES = frozenset(("Eq", "LtE", "Lt"))  # of `end ... counter`
_WRAPPERS = frozenset(("tqdm", "progress_bar", "track"))  # they give what they are given


@dataclass(frozen=True, slots=True)
class NeverTrue:
    """`loop`: the range that the loop goes through."""

    span: Span
    counter: str
    end: str
    loop: Span


def never_true(links: Links, function: Function) -> Iterator[NeverTrue]:
    makers = links.makers(function)
    for loop in steps_of(function):
        if loop[0] != "for" or loop[6]:
            continue
        made = _range(links, function, loop[2])
        end = _end(makers, made) if made is not None else ""
        counter = _counter(loop)
        if made is None or not end or not counter or _writes(makers, loop, end):
            continue
        for step in instructions(loop[4]):
            if step[0] == "compare" and _asks(makers, step, counter, end):
                yield NeverTrue(step[-1], counter, end, made[-1])


def _range(links: Links, function: Function, register: Register) -> Instruction | None:
    """`range(...)`, or a progress bar over it."""
    makers = links.makers(function)
    made = makers.get(register)
    if made is not None and made[0] == "call" and links.word(function, made[2]) in _WRAPPERS:
        made = makers.get(made[3][0][1]) if made[3] and not made[3][0][0] else None
    if made is None or made[0] != "call":
        return None
    is_range = links.dotted(function, made[2]) == "builtins.range"
    return made if is_range or links.word(function, made[2]) == "trange" else None


def _end(makers: Mapping[Register, Instruction], made: Instruction) -> str:
    """The end of a range that counts up, as it is written."""
    args = [register for star, register in made[3] if not star]
    if len(args) < len(made[3]) or not args:
        return ""
    if len(args) > 2:
        step = makers.get(args[2])
        if step is None or step[0] != "const" or not isinstance(step[2], int) or step[2] < 1:
            return ""
    return _written(makers, args[0] if len(args) == 1 else args[1])


def _written(makers: Mapping[Register, Instruction], register: Register) -> str:
    made = makers.get(register)
    if made is not None and made[0] == "const" and type(made[2]) is int:
        return str(made[2])
    return dotted(makers, register)


def _counter(loop: Instruction) -> str:
    """The name that holds the count, where nothing else is stored under it."""
    stores = [i for i in instructions(loop[4]) if i[0] == "store"]
    names = [i[2] for i in stores if i[4] == loop[3]]
    return names[0] if names and sum(i[2] == names[0] for i in stores) == 1 else ""


def _writes(makers: Mapping[Register, Instruction], loop: Instruction, end: str) -> bool:
    """Does the loop store under the name of the end, or a part of it?"""
    words = end.split(".")
    for i in instructions(loop[4]):
        if (i[0] == "store" and i[2] == words[0]) or (i[0] == "setattr" and i[3] in words[1:]):
            return True
    return False


def _asks(
    makers: Mapping[Register, Instruction], step: Instruction, counter: str, end: str
) -> bool:
    _, _, operator, left, right, _ = step
    sides = _written(makers, left), _written(makers, right)
    if sides == (counter, end):
        return operator in _REACHED
    return sides == (end, counter) and operator in _REACHES
