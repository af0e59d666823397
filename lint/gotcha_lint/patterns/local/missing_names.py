"""Names that a library has in no release of `facts/public_names.txt` (floor `patterns`; must).

What a release has lost is in the tables of `library_names.py`, with what to use instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from gotcha_lint.facts.deprecated import DEPRECATED
from gotcha_lint.facts.public_names import first_missing, is_missing
from gotcha_lint.facts.removed import REMOVED, row_of
from gotcha_lint.patterns.local.releases import asks, prepared
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.full_names import FullNames, are_lazy
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.links import Links


@dataclass(frozen=True)
class Missing:
    """`how`: "import" or "attribute"; `tried`: an import, with a handler of its error."""

    how: str
    name: str
    module: str
    span: Span
    tried: bool = False


def missing_names(
    links: Links, module: Module, function: Function, visible: Callable[[], list[Module]]
) -> Iterator[Missing]:
    """Of one function, whatever release is installed."""
    names, makers = FullNames(links), links.makers(function)
    found: list[tuple[Instruction, Missing]] = []
    for i in steps_of(function):
        if i[0] == "attr":
            of = names.of_register(function, i[2])
            if of and is_missing(of, i[3]):
                found.append((i, Missing("attribute", i[3], of, i[-1])))
        elif i[0] in ("import", "importstar") and not i[3]:
            member = i[4] if i[0] == "import" else None
            absent = first_missing(f"{i[2]}.{member}" if member else i[2])
            if absent is not None:
                found.append((i, Missing("import", absent[1], absent[0], i[-1])))
    if found:
        before = prepared(function, makers)
        for i, one in found:
            tests, words = before.get(id(i)), f"{one.module}.{one.name}".split(".")
            if tests is None and one.how == "import":
                one = replace(one, tried=True)
            elif tests is None or any(asks(function, test, words) for test in tests):
                continue
            if not _is_told(one) and not _is_set(one.name, visible()):
                yield one
    for one in _annotated(names, module, function):
        if not _is_told(one) and not _is_set(one.name, visible()):
            yield one


def _annotated(names: FullNames, module: Module, function: Function) -> Iterator[Missing]:
    for each in () if are_lazy(module) else module.annotations:
        if each.within is function and each.rest:
            base = names.of_slot(function, each.slot)
            absent = first_missing(".".join((base, *each.rest))) if base else None
            if absent is not None:
                yield Missing("attribute", absent[1], absent[0], each.span)


def _is_told(one: Missing) -> bool:
    """`removed-api` and `deprecated-api` tell what to use instead."""
    dotted = f"{one.module}.{one.name}"
    return any(row_of(dotted, table) is not None for table in (REMOVED, DEPRECATED))


def _is_set(name: str, modules: list[Module]) -> bool:
    """Does a file give the name to anything, as in `jax.tree_maps = jax.tree.map`?"""
    return any(
        i[0] == "setattr" and i[3] == name
        for module in modules
        for function in module.functions
        for i in steps_of(function)
    )
