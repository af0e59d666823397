"""Which calls the result of a call reaches, by the names and expressions of the text alone.

A call counts by the last word of its name. `reaches` follows one expression, `only_reaches` the
names that it is stored under too (floor `program`).
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Register, Span


def reaches(function: Function, call: Span, words: Set[str]) -> bool:
    """Is the call an operand, however deep, of a call of these: `where(p > 0, log(p), 0)`?"""
    above = _above(function, _result(function, call))
    return any(_word(function, step) in words for step in above)


def only_reaches(function: Function, call: Span, words: Set[str]) -> bool:
    """Is the result stored, and read by nothing but operands of calls of these?"""
    names = [step[2] for step in _above(function, _result(function, call)) if step[0] == "store"]
    if not names:
        return False
    reads = [step for step in steps_of(function) if step[0] == "load" and step[2] in names]
    return bool(reads) and all(
        any(_word(function, step) in words for step in _above(function, read[1])) for read in reads
    )


def _result(function: Function, call: Span) -> Register:
    return next((i[1] for i in steps_of(function) if i[0] == "call" and i[-1] == call), -1)


def _above(function: Function, register: Register) -> Iterator[Instruction]:
    """The steps that use a register, those that use their results, and so on; no name is read."""
    known = {register}
    for step in steps_of(function):
        if known.isdisjoint(used_registers(step)):
            continue
        yield step
        if step[0] not in ("store", "setattr", "setitem") and isinstance(step[1], int):
            known.add(step[1])


def _word(function: Function, step: Instruction) -> str:
    """The last word of the function that a call calls."""
    if step[0] != "call":
        return ""
    made = next((i for i in steps_of(function) if i[1] == step[2]), None)
    if made is None:
        return ""
    return str(made[2] if made[0] == "load" else made[3] if made[0] == "attr" else "")
