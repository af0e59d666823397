"""Calls that each iteration of a loop repeats with the very same arguments (floor `program`).

The results can only differ by chance: the samples of an average, as of dropout at prediction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gotcha_lint.program.data_flow import instructions
from gotcha_lint.program.enclosing import enclosing
from gotcha_lint.program.ir import Function, Instruction, Register, Span

_READS = ("load", "attr", "item", "const", "build")  # what an argument is made of


def is_repeated(function: Function, span: Span) -> bool:
    """Does the innermost loop around a call repeat it, with the same objects each time?

    Must: nothing in the loop writes to a name that the call reads, and no other call there is
    given such an object, so none can change it. False where that is not known.
    """
    around = enclosing(function)
    steps = {i[1]: i for i in instructions(function.body) if isinstance(i[1], int)}
    call = next((i for i in steps.values() if i[0] == "call" and i[-1] == span), None)
    loops = [block for block, _ in around[id(call)] if block[0] in ("for", "while")] if call else []
    if call is None or not loops or loops[-1][0] != "for":
        return False
    body = list(instructions(loops[-1][4]))
    read = _names(steps, _given(call))
    if read is None:
        return False
    written = {i[2] for i in body if i[0] == "store"}
    changed = any(i[0] in ("setattr", "setitem") and _shares(steps, (i[2],), read) for i in body)
    others = (i for i in body if i[0] == "call" and i is not call)
    return not (read & written or changed or any(_shares(steps, _given(i), read) for i in others))


def _given(call: Instruction) -> Iterator[Register]:
    """The callee, and all arguments."""
    yield call[2]
    for _, register in (*call[3], *call[4]):
        yield register


def _names(steps: dict[Register, Instruction], registers: Iterable[Register]) -> set[str] | None:
    """The variables that are read; None where something is computed of them."""
    found: set[str] = set()
    for register in registers:
        made = steps.get(register)
        if made is None or made[0] not in _READS:
            return None
        if made[0] == "load":
            found.add(made[2])
            continue
        parts: tuple[Register, ...] = ()
        if made[0] in ("attr", "item"):
            parts = made[2:3] if made[0] == "attr" else made[2:4]
        elif made[0] == "build":
            parts = tuple(part for _, part in made[3])
        below = _names(steps, parts)
        if below is None:
            return None
        found |= below
    return found


def _shares(
    steps: dict[Register, Instruction], registers: Iterable[Register], names: set[str]
) -> bool:
    """Is one of these objects given, or the object that holds a method?"""
    return any(names & (_names(steps, (register,)) or set()) for register in registers)
