"""What opens a scope: functions, lambdas, classes, comprehensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import libcst as cst

from gotcha_lint.analysis.bindings import bind_target
from gotcha_lint.analysis.model import Class, Function, Param, Scope

if TYPE_CHECKING:
    from gotcha_lint.analysis.building import Builder


def on_function(builder: Builder, node: cst.FunctionDef | cst.Lambda, scope: Scope) -> None:
    scope.function.sites.append(node)
    named = isinstance(node, cst.FunctionDef)
    name = node.name.value if named else "<lambda>"
    cls = _class_of(builder, scope) if named else None
    outer = cls.qualname if cls else scope.function.qualname
    parts = [outer, name] if cls or not outer else [outer, "<locals>", name]
    function = Function(
        len(builder.model.functions), name, ".".join(p for p in parts if p), node, scope, cls
    )
    function.params = tuple(_params(node.params))
    function.scope = Scope("function", scope, function)
    builder.scopes.append(function.scope)
    builder.model.functions.append(function)
    builder.model.by_node[id(node)] = function
    if isinstance(node, cst.FunctionDef):
        scope.bind(name, function)
        if cls is not None:
            cls.methods[name] = function
    for param in function.params:
        function.scope.bind(param.name, "param")
    builder.push(node.body, function.scope)
    for param in function.params:
        builder.push(param.default, scope)
        builder.push(param.annotation, scope)
    if isinstance(node, cst.FunctionDef):
        builder.push(node.returns and node.returns.annotation, scope)
        _decorated(builder, node, scope)


def on_class(builder: Builder, node: cst.ClassDef, scope: Scope) -> None:
    outer = _class_of(builder, scope)
    prefix = outer.qualname if outer else scope.function.qualname
    qualname = f"{prefix}.{node.name.value}" if prefix else node.name.value
    inner = Scope("class", scope, scope.function)
    builder.scopes.append(inner)
    cls = Class(len(builder.model.classes), node.name.value, qualname, node, scope, inner)
    builder.model.classes.append(cls)
    builder.model.by_node[id(node)] = cls
    builder.model.by_node[id(inner)] = cls
    scope.bind(node.name.value, cls)
    for statement in node.body.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                cls.fields[small.target.value] = small
    builder.push(node.body, inner)
    for arg in (*node.keywords, *node.bases):
        builder.push(arg.value, scope)
    _decorated(builder, node, scope)


def _decorated(builder: Builder, node: cst.FunctionDef | cst.ClassDef, scope: Scope) -> None:
    """A decorator is a call, which has no node of its own."""
    for decorator in node.decorators:
        scope.function.sites.append(decorator)
        builder.push(decorator.decorator, scope)


def on_comprehension(builder: Builder, node: Any, scope: Scope) -> None:
    inner = Scope("comprehension", scope, scope.function)
    builder.scopes.append(inner)
    for name in ("elt", "key", "value"):
        builder.push(getattr(node, name, None), inner)
    clause: cst.CompFor | None = node.for_in
    first = True
    while clause is not None:
        bind_target(builder, clause.target, inner)
        builder.push(clause.iter, scope if first else inner)
        for condition in clause.ifs:
            builder.push(condition.test, inner)
        clause, first = clause.inner_for_in, False


def _class_of(builder: Builder, scope: Scope) -> Class | None:
    owner = builder.model.by_node.get(id(scope)) if scope.kind == "class" else None
    return owner if isinstance(owner, Class) else None


def _params(node: cst.Parameters) -> list[Param]:
    found: list[Param] = []

    def add(param: cst.Param, kind: Literal["positional", "star", "keyword", "kwargs"]) -> None:
        annotation = param.annotation.annotation if param.annotation else None
        found.append(Param(param.name.value, param, kind, param.default, annotation))

    for param in (*node.posonly_params, *node.params):
        add(param, "positional")
    if isinstance(node.star_arg, cst.Param):
        add(node.star_arg, "star")
    for param in node.kwonly_params:
        add(param, "keyword")
    if node.star_kwarg is not None:
        add(node.star_kwarg, "kwargs")
    return found
