"""What stands around an instruction: loops, and branches with their tests (floor `program`)."""

from __future__ import annotations

from typing import NamedTuple

from gotcha_lint.program.ir import Function, Instruction, Region


class Around(NamedTuple):
    """`part`: in which operand of it; of an `if` 3 is where the test holds."""

    block: Instruction
    part: int


def enclosing(function: Function) -> dict[int, tuple[Around, ...]]:
    """The blocks around each instruction of a function, by its identity, outermost first."""
    found: dict[int, tuple[Around, ...]] = {}

    def walk(code: Region, around: tuple[Around, ...]) -> None:
        for i in code:
            found[id(i)] = around
            for place, part in enumerate(i):
                if isinstance(part, list):
                    nested = part and isinstance(part[0], list)
                    for region in part if nested else [part]:
                        walk(region, (*around, Around(i, place)))

    walk(function.body, ())
    return found
