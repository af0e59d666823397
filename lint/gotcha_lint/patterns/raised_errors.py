"""Texts that are raised, and errors that are made and not raised (floor `patterns`).

Only of what is written in the function, or under a name that is bound once: must.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from gotcha_lint.program.data_flow import steps_of, uncaught
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import SureReader

_ERRORS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
)
_NO_ERROR = "NotImplemented"


def raised_texts(links: Links, function: Function) -> Iterator[tuple[Span, str]]:
    """`raise "no such file"`: Python raises a `TypeError` instead. With what is raised."""
    raises = [i for i in uncaught(function.body) if i[0] == "raise" and i[2] is not None]
    if not raises:
        return
    reader = SureReader(function)
    for i in raises:
        made = reader.made(i[2])
        if made is not None and _is_text(reader, made):
            yield i[-1], "text"
        elif made is not None and _builtin(links, function, made) == _NO_ERROR:
            yield i[-1], _NO_ERROR


def errors_not_raised(links: Links, function: Function) -> Iterator[tuple[Span, str]]:
    """`ValueError("no such file")` as a statement. With the name of the error."""
    makers = links.makers(function)
    for i in steps_of(function):
        made = makers.get(i[2]) if i[0] == "discard" else None
        callee = makers.get(made[2]) if made is not None and made[0] == "call" else None
        if made is not None and callee is not None:
            name = _error(links, function, made[2], callee)
            if name:
                yield made[-1], name


def _is_text(reader: SureReader, made: Instruction) -> bool:
    if made[0] == "fstr":
        return True
    if made[0] == "const":
        return isinstance(made[2], str | bytes | int | float)
    if made[0] == "binop" and made[2] in ("Mod", "Add"):
        left = reader.made(made[3])
        return left is not None and _is_text(reader, left)
    if made[0] == "call":
        callee = reader.made(made[2])
        if callee is None or callee[0] != "attr" or callee[3] != "format":
            return False
        text = reader.made(callee[2])
        return text is not None and _is_text(reader, text)
    return False


def _builtin(links: Links, function: Function, made: Instruction) -> str:
    """The name, where it is one that Python brings and the file does not bind."""
    if made[0] != "load" or made[3] != -1:
        return ""
    top = links.finder.modules[function.path].top
    is_bound = made[2] in top.locals or links.stores(top).get(made[2])
    return "" if is_bound else made[2]


def _error(links: Links, function: Function, register: Register, callee: Instruction) -> str:
    name = _builtin(links, function, callee)
    if name:
        return name if name in _ERRORS else ""
    link = links.of_register(function, register)
    lineage = links.lineage(link.function) if link is not None and link.kind == "class" else None
    if link is None or lineage is None:
        return ""
    bases = {base.removeprefix("builtins.") for _, parts in lineage for base in parts.library}
    if not bases & _ERRORS or links.in_class(link.function, "__init__") is not None:
        return ""
    return link.function.name
