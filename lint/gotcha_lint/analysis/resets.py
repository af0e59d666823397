"""Global settings that a loop changes: an element of a dict, a name of another module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported, Scope
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.analysis.values import FunctionId, Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow
    from gotcha_lint.analysis.project import Project

Global = tuple[str, str]  # path of the file, name
Reset = tuple[FunctionId, str]  # who changes it, and which element


def note_reset(flow: Flow, target: cst.Attribute | cst.Subscript, held: Value) -> None:
    """`SETTINGS["rate"] = 0.1` and `model.RATE = 0.1` in a loop of code that is not traced."""
    if flow.body.trace is not None or flow.function.number == 0:
        return
    if all(loop.short for loop in flow.loops):
        return
    key, where = "", None
    if isinstance(target, cst.Attribute):
        where = _of_module(held, target.attr.value)
    else:
        key = element(target)
        if key and isinstance(target.value, cst.Attribute):
            where = _of_module(flow.eval(target.value.value), target.value.attr.value)
        elif key and isinstance(target.value, cst.Name):
            scopes = flow.scopes[-1], flow.model.module.scope
            where = global_of(flow.project, *scopes, flow.id[0], target.value.value)
    if where is not None and not compiles_anew(flow.function):
        flow.effect(("reset", where), frozenset({(flow.id, key)}))


def element(node: cst.Subscript) -> str:
    """The text in `settings["rate"]`."""
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=value))]:
            found = literal(value)
            return found if isinstance(found, str) else ""
    return ""


def _of_module(owner: Value, name: str) -> Global | None:
    module = owner.kind is Kind.NAMED and not owner.of and isinstance(owner.literal, str)
    return (owner.literal, name) if module else None


def global_of(project: Project, scope: Scope, module: Scope, path: str, name: str) -> Global | None:
    """The file and the name of a global variable, which may be imported."""
    how = lookup(scope, name)
    if how is None:
        return None
    if len(how) == 1 and isinstance(how[0], Imported):
        symbol = project.symbol(how[0], path)
        return (symbol.path, symbol.name) if symbol.kind == "global" else None
    own = module.bound.get(name) is how and all(one == "assigned" for one in how)
    return (path, name) if own else None


def compiles_anew(function: Function) -> bool:
    """It jits, or clears what was compiled: it takes care of what it changes."""
    for node in walk(function.node):
        if node.__class__ is cst.Name and (
            "jit" in node.value  # type: ignore[attr-defined]
            or node.value in ("pmap", "clear_caches", "clear_cache")  # type: ignore[attr-defined]
        ):
            return True
    return False
