"""Which classes an expression names, and which of them accepts which."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis.model import Class, FileModel, Imported
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import dotted, last_word, walk
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


# Classes of the project that JAX knows nothing of: neither they nor what derives from them

_PLAIN_BASES = frozenset(
    ["object", "builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"]
)
_PLAIN_DECORATORS = frozenset(
    ["dataclasses.dataclass", "typing.final", "functools.total_ordering", "attr.s", "attrs.define"]
)
# Methods by which a class becomes a pytree, an array, or makes its subclasses one.
_TELLING = frozenset(
    ["tree_flatten", "flatten", "__jax_array__", "__init_subclass__", "__array__", "__getattr__"]
)
_PLAIN_METACLASSES = frozenset({"ABCMeta", "type"})


def is_plain(project: Project, model: FileModel, cid: ClassId) -> bool:
    """Surely no pytree: all its bases are known, and nothing registers it in this file."""
    family = {cid, *project.descendants(cid)}
    everyone = {above for one in family for above in project.ancestors(one)[0]}
    return all(_is_ordinary(project, one) for one in everyone) and not any(
        path == model.path and _is_special(model, number) for path, number in everyone
    )


def _is_ordinary(project: Project, cid: ClassId) -> bool:
    cls = project.cls(cid)
    names = {project.symbol(name, cid[0]).name or name for name in cls.decorators}
    return (
        names <= _PLAIN_DECORATORS
        and _TELLING.isdisjoint(cls.methods)
        and all(isinstance(base, int) or _is_known(project, base, cid[0]) for base in cls.bases)
    )


def _is_known(project: Project, base: str, path: str) -> bool:
    symbol = project.symbol(base, path)
    return symbol.kind == "class" or (symbol.kind == "external" and symbol.name in _PLAIN_BASES)


def _is_special(model: FileModel, number: int) -> bool:
    """It has a metaclass or bases that cannot be read, or a call registers it."""
    node = model.classes[number].node
    metaclasses = {last_word(arg.value) for arg in node.keywords}
    written = [arg.value.value if isinstance(arg.value, cst.Subscript) else arg.value
               for arg in node.bases]  # fmt: skip
    readable = all(dotted(base) is not None for base in written)
    decorators = [d.decorator.func if isinstance(d.decorator, cst.Call) else d.decorator
                  for d in node.decorators]  # fmt: skip
    readable = readable and all(dotted(one) is not None for one in decorators)
    return (
        not metaclasses <= _PLAIN_METACLASSES or not readable or node.name.value in _handed(model)
    )


@lru_cache(maxsize=4)
def _handed(model: FileModel) -> set[str]:
    """The names that calls of the file are given: `register_dataclass(Model, ...)`."""
    return {
        name
        for node in walk(model.tree)
        if type(node) is cst.Call and "register" in last_word(node.func)
        for arg in node.args
        if (name := dotted(arg.value))
    }
