"""Objects that save in the background, for whose end no code of the program waits (`patterns`).

It under-approximates: any word of waiting counts, and who returns the object may leave that to
others.
"""

from __future__ import annotations

from collections.abc import Iterable

from gotcha_lint.facts.optax import WAITS
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Module, Span
from gotcha_lint.program.spelled import dotted

_OF_FILES = frozenset(("close", "wait", "__exit__"))


def nobody_waits(modules: Iterable[Module], names: frozenset[str]) -> bool:
    """Has no module a word of it? `names`: of the object; other things are closed, too."""
    return not any(_waits(one, names) for module in modules for one in module.functions)


def _waits(function: Function, names: frozenset[str]) -> bool:
    makers = {i[1]: i for i in steps_of(function)}
    for i in makers.values():
        if i[0] == "load" and i[2] in WAITS - _OF_FILES:
            return True
        if i[0] == "attr" and i[3] in WAITS:
            owner = dotted(makers, i[2]).rpartition(".")[2]
            if i[3] not in _OF_FILES or owner in names:
                return True
        if i[0] == "call" and any(name in WAITS for name, _ in i[4]):
            return True
    return False


def names_held(module: Module, made: Span) -> frozenset[str] | None:
    """The names that the function that makes an object stores it under; None: it returns it."""
    found: set[str] = set()
    for function in module.functions:
        held = {i[1] for i in steps_of(function) if i[-1] == made and i[0] == "call"}
        for i in steps_of(function) if held else ():
            if i[0] in ("store", "setattr") and i[4] in held:
                found.add(i[2] if i[0] == "store" else i[3])
            if i[0] == "load" and i[2] in found:
                held.add(i[1])
            if i[0] in ("return", "yield") and i[2] in held:
                return None
    return frozenset(found)


def owner_of(function: Function, call: Span) -> str:
    """What the method that is called there belongs to, as it is written; "" for no name."""
    makers = {i[1]: i for i in steps_of(function)}
    for i in makers.values():
        callee = makers.get(i[2]) if i[0] == "call" and i[-1] == call else None
        if callee is not None and callee[0] == "attr":
            return dotted(makers, callee[2])
    return ""
