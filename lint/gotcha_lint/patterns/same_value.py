"""Two expressions of a function that are written alike (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Hashable

from gotcha_lint.program.ir import Register
from gotcha_lint.program.reader import Reader

_DEPTH = 8
_NUMBERS = frozenset(("int", "len", "max", "min", "round"))


def written(reader: Reader, register: Register, depth: int = 0) -> Hashable | None:
    """The same for two expressions of names, attributes, items, displays and arithmetic.

    A name counts as what was stored in it last, so it under-approximates: None where it is more.
    """
    i = reader.made(register)
    if i is None or depth > _DEPTH:
        return None
    if i[0] == "const":
        return "const", repr(i[2])
    if i[0] == "load":
        return "name", i[2]
    if i[0] == "attr":
        parts = (written(reader, i[2], depth + 1), i[3])
    elif i[0] == "item":
        parts = tuple(written(reader, each, depth + 1) for each in i[2:4])
    elif i[0] == "build" and not any(star for star, _ in i[3]):
        parts = (i[2], *(written(reader, each, depth + 1) for _, each in i[3]))
    elif i[0] == "binop":
        parts = (i[2], *(written(reader, each, depth + 1) for each in i[3:5]))
    elif i[0] == "call" and reader.function_of(i) in _NUMBERS and not i[4]:
        parts = (reader.function_of(i), *(written(reader, r, depth + 1) for _, r in i[3]))
    else:
        return None
    return None if None in parts else (i[0], *parts)


def bare(reader: Reader, register: Register) -> Register:
    """What is in `int(...)`, by whatever name; else the same."""
    made = reader.made(register)
    if made is None or made[0] != "call" or reader.function_of(made) != "int":
        return register
    return made[3][0][1] if len(made[3]) == 1 and not made[4] else register
