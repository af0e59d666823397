"""The calls that a function of the same file comes to, itself or through others of the file."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function, Imported, once
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import children, dotted
from gotcha_lint.analysis.values import Value

_DEEP = 3
# A call under one of these may not come about, or not yet.
_UNSURE = (cst.If, cst.Try, cst.For, cst.While, cst.IfExp, cst.FunctionDef, cst.Lambda, cst.Match)
_LATER = (cst.FunctionDef, cst.Lambda)


def reaches(body: Body, value: Value, names: Collection[str]) -> cst.Call | None:
    """A call of one of these names that a call of this function certainly comes to."""
    if value.via or len(value.targets) != 1 or body.project is None:
        return None
    path, number = next(iter(value.targets))
    if path != body.model.path:
        return None
    return _within(body.project, body.model.functions[number], names, _DEEP)


def _within(
    project: Project, function: Function, names: Collection[str], deep: int
) -> cst.Call | None:
    for call in _sure(function):
        if canonical(project, function, call.func) in names:
            return call
        inner = _local(function, call.func)
        if inner is not None and deep and _within(project, inner, names, deep - 1) is not None:
            return call
    return None


@once
def _sure(function: Function) -> list[cst.Call]:
    return list(calls_of(function.node, sure=True))


def calls_of(root: cst.CSTNode, *, sure: bool) -> Iterator[cst.Call]:
    """The calls in a function's own body; `sure`: only those that are not under a condition."""
    stack = list(reversed(children(root)))
    while stack:
        node = stack.pop()
        if type(node) is cst.Call:
            yield node
        if type(node) is cst.If and sure:
            stack.append(node.test)
        elif node.__class__ not in (_UNSURE if sure else _LATER):
            stack.extend(reversed(children(node)))


def canonical(project: Project, function: Function, func: cst.CSTNode) -> str:
    """The qualified name of what is called, where it is imported."""
    name = dotted(func) or ""
    head, dot, tail = name.partition(".")
    hows = lookup(function.scope, name) or []
    imported = next((how for how in hows if isinstance(how, Imported)), "")
    return project.facts.canonical(f"{imported}{dot}{tail}") if imported and head else ""


def _local(function: Function, func: cst.CSTNode) -> Function | None:
    hows = lookup(function.scope, dotted(func) or "") or []
    found = hows[0] if len(hows) == 1 else None
    return found if isinstance(found, Function) else None
