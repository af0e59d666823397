"""What each `return` of a function gives, as far as its text says (floor `program`).

Through names that are bound once, and through calls of the program's own functions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Register, Span
from gotcha_lint.program.links import Links

TUPLE, DICT, NUMBER = "tuple", "dict", "number"
_DEPTH = 6  # of names and calls
_OF_TUPLES = frozenset(("Add", "Mult", "BitOr", "Mod"))  # operators that containers have, too


@dataclass(frozen=True)
class Returned:
    """`kind`: "" where it is not known, else that of a display, or "number": no tuple has such an
    operator. `size`: of a tuple, where it is known.
    """

    span: Span
    kind: str = ""
    size: int | None = None


def returned_values(links: Links, function: Function, depth: int = 0) -> list[Returned]:
    """One for each `return`; none where the function gives something else, as generators do."""
    if function.is_generator or function.is_async:
        return []
    found: list[Returned] = []
    for i in steps_of(function):
        if i[0] != "return":
            continue
        made = links.makers(function).get(i[2]) if i[2] is not None else None
        if i[2] is None or made is None:
            return []
        found.append(replace(_value(links, function, i[2], depth), span=made[-1]))
    return found


def sizes(values: list[Returned]) -> frozenset[int]:
    """The lengths of the tuples; empty where one value is no tuple, or of unknown length."""
    known = frozenset(value.size for value in values if value.size is not None)
    return known if all(value.size is not None for value in values) else frozenset()


def _value(links: Links, function: Function, register: Register, depth: int) -> Returned:
    made = links.makers(function).get(register)
    if made is None or depth > _DEPTH:
        return Returned((0, 0, 0, 0))
    span: Span = made[-1]
    if made[0] == "build" and made[2] == "tuple":
        spread = any(star for star, _ in made[3])
        return Returned(span, TUPLE, None if spread else len(made[3]))
    if made[0] == "dict":
        return Returned(span, DICT)
    if made[0] == "binop":
        return Returned(span, "" if made[2] in _OF_TUPLES else NUMBER)
    if made[0] in ("unop", "compare"):
        return Returned(span, NUMBER)
    if made[0] == "load" and made[3] == 0:
        stored = links.stores(function).get(made[2], [])
        if len(stored) == 1 and all(one.name != made[2] for one in function.parameters):
            return _value(links, function, stored[0], depth + 1)
    if made[0] == "call":
        link = links.of_register(function, made[2])
        if link is not None and link.kind == "function" and not link.virtual:
            return _all(returned_values(links, link.function, depth + 1), span)
    return Returned(span)


def _all(values: list[Returned], span: Span) -> Returned:
    """What a function gives that returns these, where it is one kind of one size."""
    kinds = {(value.kind, value.size) for value in values}
    return Returned(span, *kinds.pop()) if len(kinds) == 1 else Returned(span)
