"""What other files need to know of a file: plain data, that can be stored and sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.model import Class, FileModel, Function, Imported, Scope
from gotcha_lint.analysis.syntax import dotted, is_none
from gotcha_lint.facts.optax import WAITS
from gotcha_lint.facts.sharding import EXPLICIT

IS_NONE = " is None"  # after the name of a parameter whose default is None


class FunctionSummary(NamedTuple):
    name: str
    qualname: str
    params: tuple[tuple[str, str, bool], ...]  # name, kind, has a default
    cls: int | None
    binds: str  # what a call through an instance fills in: "self", "class" or ""
    decorated: bool
    outer: int  # the function around it; 0 is the module
    uses: frozenset[int]  # functions of the module that its body names
    flags: frozenset[tuple[str, bool]] = frozenset()  # parameters with a default True, False, None


class ClassSummary(NamedTuple):
    name: str
    qualname: str
    bases: tuple[str | int, ...]  # qualified names, or numbers of this file's classes
    methods: dict[str, int]
    fields: tuple[str, ...]
    decorators: tuple[str, ...]


class Summary(NamedTuple):
    path: str
    names: dict[str, str | tuple[str, int]]  # imports as qualified names; ("def", 3), ("class", 0)
    stars: tuple[str, ...]
    imports: frozenset[str]
    functions: tuple[FunctionSummary, ...]
    classes: tuple[ClassSummary, ...]
    waits: bool = False  # it may wait for the end of a save by Orbax
    explicit: bool = False  # it is written for meshes of explicit axes


def summarise(model: FileModel) -> Summary:
    return Summary(
        path=model.path,
        names=dict(_module_names(model.module.scope)),
        stars=tuple(model.stars),
        imports=frozenset(model.imports),
        functions=tuple(map(_function, model.functions)),
        classes=tuple(_class(cls) for cls in model.classes),
        waits=model.waits or any(_last(name) in WAITS for name in model.imports),
        explicit=model.explicit or any(_last(name) in EXPLICIT for name in model.imports),
    )


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _module_names(scope: Scope) -> Iterator[tuple[str, str | tuple[str, int]]]:
    for name, bindings in scope.bound.items():
        yield name, _binding(bindings)


def _binding(bindings: list[Function | Class | str]) -> str | tuple[str, int]:
    """How a name can be followed: `try: import a` with `except: a = None` follows the import."""
    for how in reversed(bindings):
        if isinstance(how, Imported):
            return str(how)
        if isinstance(how, Class):
            return "class", how.number
        if isinstance(how, Function) and all(b.__class__ is Function for b in bindings):
            return ("decorated" if _decorated(how) else "def"), how.number
    return "assigned", 0


def _decorated(function: Function) -> bool:
    return isinstance(function.node, cst.FunctionDef) and bool(function.node.decorators)


def _function(function: Function) -> FunctionSummary:
    binds = ""
    if function.cls is not None and not function.has_decorator("staticmethod"):
        binds = "class" if function.has_decorator("classmethod") else "self"
    return FunctionSummary(
        function.name,
        function.qualname,
        tuple((p.name, p.kind, p.default is not None) for p in function.params),
        function.cls.number if function.cls else None,
        binds,
        _decorated(function),
        function.parent.number if function.parent else 0,
        frozenset(_used(function)),
        frozenset(_flags(function)),
    )


def _flags(function: Function) -> Iterator[tuple[str, bool]]:
    for param in function.params:
        default = param.default
        if isinstance(default, cst.Name) and default.value in ("True", "False"):
            yield param.name, default.value == "True"
        elif is_none(default):
            yield param.name + IS_NONE, True


def _used(function: Function) -> Iterator[int]:
    scope: Scope | None = function.scope
    while scope is not None and scope.parent is not None:
        scope = scope.parent
    module = scope.bound if scope is not None else {}
    for name in function.captured:
        for how in module.get(name, ()):
            if isinstance(how, Function):
                yield how.number


def _class(cls: Class) -> ClassSummary:
    bases = [_base(arg.value, cls.outer) for arg in cls.node.bases]
    decorators = [_qualified(_called(d.decorator), cls.outer) for d in cls.node.decorators]
    return ClassSummary(
        cls.name,
        cls.qualname,
        tuple(base for base in bases if base is not None),
        {name: method.number for name, method in cls.methods.items()},
        tuple(cls.fields),
        tuple(name for name in decorators if name),
    )


def _called(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.func if isinstance(node, cst.Call) else node


def _base(node: cst.BaseExpression, scope: Scope) -> str | int | None:
    while isinstance(node, cst.Subscript):  # Generic[T], Module[Config]
        node = node.value
    name = dotted(_called(node))
    if name is None:
        return None
    how = lookup(scope, name)
    if isinstance(how, list) and "." not in name:
        for binding in how:
            if isinstance(binding, Class):
                return binding.number
    return _qualified(node, scope)


def _qualified(node: cst.BaseExpression, scope: Scope) -> str | None:
    name = dotted(node)
    if name is None:
        return None
    _, dot, tail = name.partition(".")
    for binding in lookup(scope, name) or ():
        if isinstance(binding, Imported):
            return f"{binding}{dot}{tail}"
    return name


def lookup(scope: Scope | None, name: str) -> list[Function | Class | str] | None:
    """The bindings of the first part of a dotted name, seen from a scope."""
    head = name.partition(".")[0]
    owner = scope.owner(head) if scope is not None else None
    return owner.bound[head] if owner is not None else None
