"""What opens a scope: functions, lambdas, classes, comprehensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import libcst as cst

from gotcha_lint.analysis.model import Class, Function, Imported, Param, Scope
from gotcha_lint.analysis.syntax import dotted, target_names

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


# What binds a name in a scope: imports, targets of assignments and loops, patterns, `global`


def on_import(builder: Builder, node: cst.Import, scope: Scope) -> None:
    for alias in node.names:
        name = dotted(alias.name) or ""
        builder.model.imports.add(name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            scope.bind(alias.asname.name.value, Imported(name))
        else:
            scope.bind(name.partition(".")[0], Imported(name.partition(".")[0]))


def on_import_from(builder: Builder, node: cst.ImportFrom, scope: Scope) -> None:
    base = "." * len(node.relative) + (dotted(node.module) or "")
    if isinstance(node.names, cst.ImportStar):
        builder.model.imports.add(base)
        builder.model.stars.append(base)
        return
    for alias in node.names:
        name = alias.name.value if isinstance(alias.name, cst.Name) else ""
        qualified = f"{base}{name}" if base.endswith(".") else f"{base}.{name}"
        bound = alias.asname.name if alias.asname else alias.name
        builder.model.imports.add(qualified)
        if isinstance(bound, cst.Name):
            scope.bind(bound.value, Imported(qualified))


def on_target(builder: Builder, node: cst.CSTNode, scope: Scope) -> None:
    bind_target(builder, node.target, scope)  # type: ignore[attr-defined]
    builder.descend(node, scope, skip="target")


def on_named_expression(builder: Builder, node: cst.NamedExpr, scope: Scope) -> None:
    outer = scope
    while outer.kind == "comprehension" and outer.parent is not None:
        outer = outer.parent
    bind_target(builder, node.target, outer)
    builder.push(node.value, scope)


def on_augmented(builder: Builder, node: cst.AugAssign, scope: Scope) -> None:
    on_target(builder, node, scope)
    if isinstance(node.target, cst.Name):
        scope.loads.setdefault(node.target.value, node.target)


def on_as_name(builder: Builder, node: cst.AsName, scope: Scope) -> None:
    bind_target(builder, node.name, scope)


def on_pattern_name(builder: Builder, node: cst.CSTNode, scope: Scope) -> None:
    for part in (getattr(node, "name", None), getattr(node, "rest", None)):
        if isinstance(part, cst.Name):
            scope.bind(part.value, "assigned")
    for name in ("pattern", "elements"):
        part = getattr(node, name, None)
        for item in part if isinstance(part, list | tuple) else [part]:
            builder.push(item, scope)


def on_global(builder: Builder, node: cst.Global | cst.Nonlocal, scope: Scope) -> None:
    names = {item.name.value for item in node.names}
    (scope.global_names if isinstance(node, cst.Global) else scope.nonlocal_names).update(names)


def bind_target(builder: Builder, target: cst.CSTNode, scope: Scope) -> None:
    """Binds the names of a target; the rest of it is read."""
    if target.__class__ is cst.Name:
        scope.bind(target.value, "assigned")  # type: ignore[attr-defined]
        return
    for name in target_names(target):
        scope.bind(name.value, "assigned")
    stack = [target]
    while stack:  # what is not a plain name reads its base: `a.b = 1`, `a[i] = 1`
        node = stack.pop()
        if isinstance(node, cst.Tuple | cst.List):
            stack.extend(e.value for e in node.elements)
        elif not isinstance(node, cst.Name):
            builder.push(node, scope)
