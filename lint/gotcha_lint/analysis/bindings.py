"""What binds a name in a scope: imports, targets of assignments and loops, patterns, `global`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.model import Imported, Scope
from gotcha_lint.analysis.syntax import dotted, target_names

if TYPE_CHECKING:
    from gotcha_lint.analysis.building import Builder


def on_import(builder: Builder, node: cst.Import, scope: Scope) -> None:
    builder.model.watched.append((node, scope))
    for alias in node.names:
        name = dotted(alias.name) or ""
        builder.model.imports.add(name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            scope.bind(alias.asname.name.value, Imported(name))
        else:
            scope.bind(name.partition(".")[0], Imported(name.partition(".")[0]))


def on_import_from(builder: Builder, node: cst.ImportFrom, scope: Scope) -> None:
    builder.model.watched.append((node, scope))
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
