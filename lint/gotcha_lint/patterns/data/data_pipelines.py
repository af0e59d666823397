"""What a loader of data runs for each example, and computes on the device (floor `patterns`).

It under-approximates: a method counts that a base class of torch or Grain calls for each example,
and a function that nothing else is seen to name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from gotcha_lint import facts
from gotcha_lint.facts.pipelines import MAPS, PER_EXAMPLE, TRANSFERS
from gotcha_lint.program.data_flow import decorators, names_used, steps_of
from gotcha_lint.program.ir import Function, Module, Span
from gotcha_lint.program.reader import NamedReader

_OF_ARRAYS = ("jax.numpy.", "jax.random.", "jax.nn.")
_PUT = "jax.device_put"

Lineage = tuple[Collection[str], Collection[str]]
"""Of a class: the names of all classes of libraries above it, and what it and others define."""
LineageOf = Callable[[Function], Lineage]


@dataclass(frozen=True)
class PerExample:
    """`span`: the first call; `others`: how many more there are."""

    span: Span
    others: int


def computed_per_example(
    module: Module, function: Function, lineage: LineageOf
) -> PerExample | None:
    """`lineage`: of the class that a function is a method of."""
    if function.is_module or function.is_class or decorators(function):
        return None
    calls = list(_calls(module, function))
    if not calls:
        return None
    transfers = any(name in TRANSFERS for name, _ in calls)
    if not (
        _is_called_by_loader(function, lineage)
        or (transfers and _is_item(function, lineage))
        or _helps(module, function, lineage)
        or _is_mapped(module, function)
    ):
        return None
    return PerExample(calls[0][1], len(calls) - 1)


def _calls(module: Module, function: Function) -> Iterator[tuple[str, Span]]:
    """The functions of JAX that give an array, by their full names."""
    if not any(i[0] == "call" for i in steps_of(function)):
        return
    reader, table = NamedReader(module, function), facts.load()
    for i in steps_of(function):
        name = reader.dotted(i[2]) if i[0] == "call" else ""
        if name == _PUT:
            yield name, i[-1]
        elif name.startswith(_OF_ARRAYS):
            row = table.get(name)
            if row.transform is None and row.returns.startswith(("array", "key")):
                yield name, i[-1]


def _is_called_by_loader(function: Function, lineage: LineageOf) -> bool:
    library, _ = lineage(function)
    return any(PER_EXAMPLE.get(base) == function.name for base in library)


def _is_item(function: Function, lineage: LineageOf) -> bool:
    """`__getitem__` of a class that has a length and no base: a loader asks it for each example."""
    library, defined = lineage(function)
    return function.name == "__getitem__" and "__len__" in defined and not library


def _helps(module: Module, function: Function, lineage: LineageOf) -> bool:
    """Do only such methods name it?"""
    naming = [f for f in module.functions if f is not function and _names(f, function.name)]
    return bool(naming) and all(_is_called_by_loader(f, lineage) for f in naming)


def _is_mapped(module: Module, function: Function) -> bool:
    """Is it handed to a pipeline, which calls it for each example, and named nowhere else?"""
    naming = [f for f in module.functions if f is not function and _names(f, function.name)]
    if len(naming) != 1:
        return False
    reader = NamedReader(module, naming[0])
    loads = {i[1] for i in steps_of(naming[0]) if i[0] == "load" and i[2] == function.name}
    given = {
        register
        for i in steps_of(naming[0])
        if i[0] == "call" and reader.dotted(i[2]) in MAPS
        for _, register in i[3]
    }
    return bool(loads) and loads <= given


def _names(function: Function, name: str) -> bool:
    return name in names_used(function) - {function.name}
