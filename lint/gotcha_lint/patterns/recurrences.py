"""Loops that carry a state from turn to turn, as `lax.scan` does (a pattern: of the code alone).

A sum is none: `total = total + f(x[:, i])` is a reduction, over what may be a few channels.
"""

from __future__ import annotations

from gotcha_lint.program.data_flow import instructions, used_registers
from gotcha_lint.program.ir import Instruction, Region


def carries_state(body: Region) -> bool:
    """Must: does a turn compute something of what the turn before has stored, sums apart?"""
    code = list(instructions(body))
    stored = {i[2] for i in code if i[0] == "store"}
    done: set[str] = set()
    carried: set[int] = set()  # registers that hold what an earlier turn left
    for i in code:
        if i[0] == "load" and i[2] in stored - done:
            carried.add(i[1])
        elif i[0] == "store":
            done.add(i[2])
    sums = {i[4] for i in code if i[0] == "store"}
    return any(not _only_adds(i, sums) for i in code if not carried.isdisjoint(used_registers(i)))


def _only_adds(i: Instruction, stored: set[int]) -> bool:
    """`x = x + ...`, `x += ...`, or a buffer that is filled: `x.at[i]`, `x.append`."""
    if i[0] == "attr":
        return i[3] in ("at", "append", "extend")
    return i[0] in ("binop", "augment") and i[2] in ("Add", "Sub") and i[1] in stored
