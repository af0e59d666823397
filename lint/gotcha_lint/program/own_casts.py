"""`x[...] = x[...].astype(dtype)`: what is written back has the type of `x` again."""

from __future__ import annotations

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction

Steps = dict[int, Instruction]


def writes_own_cast(function: Function, step: Instruction) -> bool:
    """Does a `setitem` with `...` write a cast of all that stands there?"""
    _, _, base, key, source, _, _ = step
    steps: Steps = {each[1]: each for each in steps_of(function) if type(each[1]) is int}
    call = steps.get(source)
    cast = steps.get(call[2]) if call is not None and call[0] == "call" else None
    if cast is None or cast[0] != "attr" or cast[3] != "astype" or not _is_whole(steps, key):
        return False
    read = steps.get(cast[2])
    if read is None or read[0] != "item" or not _is_whole(steps, read[3]):
        return False
    return _is_same(steps, base, read[2])


def _is_whole(steps: Steps, key: int) -> bool:
    known = steps.get(key)
    return known is not None and known[0] == "const" and known[2] is Ellipsis


def _is_same(steps: Steps, one: int, other: int) -> bool:
    """The same name, or the same attribute of the same."""
    a, b = steps.get(one), steps.get(other)
    if a is None or b is None or a[0] != b[0]:
        return False
    if a[0] == "attr":
        return a[3] == b[3] and _is_same(steps, a[2], b[2])
    return a[0] == "load" and a[2:4] == b[2:4]
