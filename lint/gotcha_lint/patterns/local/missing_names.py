"""Names that a library has in no release of `facts/public_names.txt` (floor `patterns`; must).

What a release has lost is in the tables of `library_names.py`, with what to use instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.deprecated import DEPRECATED
from gotcha_lint.facts.public_names import first_missing, is_missing
from gotcha_lint.facts.removed import REMOVED, row_of
from gotcha_lint.patterns.local.releases import asks, prepared
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.links import Links


@dataclass(frozen=True)
class Missing:
    """`how`: "import" or "attribute"."""

    how: str
    name: str
    module: str
    span: Span


def missing_names(links: Links, given: set[str], function: Function) -> Iterator[Missing]:
    """Of one function, whatever release is installed. `given`: names that the file sets itself."""
    names, makers = FullNames(links), links.makers(function)
    found: list[tuple[Instruction, Missing]] = []
    for i in steps_of(function):
        if i[0] == "attr":
            module = names.of_register(function, i[2])
            if module and is_missing(module, i[3]):
                found.append((i, Missing("attribute", i[3], module, i[-1])))
        elif i[0] in ("import", "importstar") and not i[3]:
            member = i[4] if i[0] == "import" else None
            absent = first_missing(f"{i[2]}.{member}" if member else i[2])
            if absent is not None:
                module, name = absent
                found.append((i, Missing("import", name, module, i[-1])))
    if not found:
        return
    before = prepared(function, makers)
    for i, one in found:
        dotted = f"{one.module}.{one.name}"
        is_told = any(row_of(dotted, table) is not None for table in (REMOVED, DEPRECATED))
        tests = before.get(id(i))
        if is_told or one.name in given or tests is None:
            continue
        if not any(asks(function, test, dotted.split(".")) for test in tests):
            yield one


def attributes_set(links: Links, module: Module) -> set[str]:
    """Names that the file gives to anything: `jax.tree_maps = jax.tree.map`."""
    return {
        i[3]
        for function in links.bodies(module)
        for i in steps_of(function)
        if i[0] == "setattr"
    }
