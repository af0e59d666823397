"""Context managers that are made and never entered (floor `patterns`).

Only what a table of library functions says changes nothing until `with` enters it: must. A context
in a `try` whose errors are caught may be there to see whether it exists.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.dead_stores import dead_stores
from gotcha_lint.program.ir import Function, Instruction, Module, Region, Span
from gotcha_lint.program.reader import NamedReader


@dataclass(frozen=True)
class VainContext:
    name: str  # of the function, in full
    span: Span


def vain_contexts(
    module: Module, function: Function, known: Collection[str]
) -> Iterator[VainContext]:
    """Calls of the `known` functions as a statement, or under a name that nothing reads."""
    if not any(i[0] == "call" for i in steps_of(function)):
        return
    reader = NamedReader(module, function)
    dead = dead_stores(function)
    for i in _outside_of_try(function.body):
        if i[0] == "discard":
            made = reader.makers.get(i[2])
        elif i[0] == "store" and i[-1] in dead:
            made = reader.makers.get(i[4])
        else:
            continue
        if made is not None and made[0] == "call" and (name := reader.dotted(made[2])) in known:
            yield VainContext(name, made[-1])


def _outside_of_try(code: Region) -> Iterator[Instruction]:
    for i in code:
        yield i
        if i[0] == "try" and i[3]:
            continue
        for part in i:
            if isinstance(part, list) and part:
                for region in part if isinstance(part[0], list) else [part]:
                    yield from _outside_of_try(region)
