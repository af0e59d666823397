"""Which classes an expression names, and which of them accepts which."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Class, Imported
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import ClassId
from gotcha_lint.facts.classes import DATACLASS, DATACLASS_DECORATORS
from gotcha_lint.queries.constants import constant

TypeName = str | ClassId  # a qualified name, or a class of the project


def named_types(body: Body, node: cst.BaseExpression, depth: int = 3) -> tuple[TypeName, ...]:
    """The classes in the second argument of `isinstance`; none if one of them is not known."""
    match node:
        case cst.Tuple(elements=elements):
            return _all(named_types(body, e.value, depth) for e in elements)
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            return _all((named_types(body, left, depth), named_types(body, right, depth)))
        case cst.Name() | cst.Attribute():
            return _resolve(body, node, depth)
    return ()


def _all(parts: object) -> tuple[TypeName, ...]:
    found: list[TypeName] = []
    for part in parts:  # type: ignore[attr-defined]
        if not part:
            return ()
        found.extend(part)
    return tuple(found)


def _resolve(body: Body, node: cst.BaseExpression, depth: int) -> tuple[TypeName, ...]:
    name = dotted(node)
    if name is None or body.project is None or depth == 0:
        return ()
    head, dot, tail = name.partition(".")
    bindings = lookup(body.function.scope, head)
    if bindings is None:
        return (f"builtins.{name}",) if hasattr(builtins, name) else ()
    for how in reversed(bindings):
        if isinstance(how, Imported):
            return _external(body.project, f"{how}{dot}{tail}", body.model.path)
        if isinstance(how, Class) and not dot:
            return ((body.model.path, how.number),)
    value = constant(body, head) if bindings == ["assigned"] and not dot else None
    return named_types(body, value, depth - 1) if value is not None else ()


def _external(project: Project, name: str, path: str) -> tuple[TypeName, ...]:
    symbol = project.symbol(name, path)
    if symbol.kind == "class":
        return ((symbol.path, symbol.number),)
    if symbol.kind != "external" or symbol.name.startswith("."):
        return ()
    return (_plain(symbol.name),)


def _plain(name: str) -> str:
    """`typing.Mapping` is `collections.abc.Mapping` for `isinstance`."""
    word = name.removeprefix("typing.")
    known = word != name and word in ("Tuple", "List", "Dict", "Set", "FrozenSet")
    if known:
        return f"builtins.{word.lower()}"
    return (
        f"collections.abc.{word}" if name.startswith("typing.") and word != "NamedTuple" else name
    )


def accepts(project: Project, general: TypeName, special: TypeName) -> bool:
    """Every instance of `special` passes `isinstance(x, general)`."""
    return general == "builtins.object" or general in supertypes(project, special)


def supertypes(project: Project, name: TypeName) -> set[TypeName]:
    """The class itself and all above it, as far as is known."""
    found: set[TypeName] = set()
    stack: list[TypeName] = [name]
    while stack:
        one = stack.pop()
        if one in found:
            continue
        found.add(one)
        stack.extend(_direct(project, one))
    return found


def _direct(project: Project, one: TypeName) -> Iterator[TypeName]:
    if isinstance(one, str):
        yield from project.facts.classes.get(one, ())
        return
    own, outside = project.ancestors(one)
    yield from own
    yield from map(_plain, outside)
    if not project.decorators(one).isdisjoint(DATACLASS_DECORATORS):
        yield DATACLASS


def readable(project: Project, name: TypeName) -> str:
    """How messages call a class."""
    if isinstance(name, str):
        return "dataclass" if name == DATACLASS else name.removeprefix("builtins.")
    return project.cls(name).name
