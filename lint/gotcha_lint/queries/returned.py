"""What a function of the same file returns, as it is written there."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind, Value


def function_of(body: Body, value: Value) -> Function | None:
    """The one function that this surely is, where this file has it."""
    if value.kind is not Kind.FUNCTION or value.maybe or len(value.targets) != 1:
        return None
    path, number = next(iter(value.targets))
    return body.model.functions[number] if path == body.model.path else None


def resolved(function: Function, value: cst.BaseExpression) -> cst.BaseExpression:
    """What a name that the function assigns once stands for."""
    if not isinstance(value, cst.Name) or function.has_parameter(value.value):
        return value
    found: list[cst.BaseExpression | None] = []
    for node in walk(function.node, into_functions=False):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=source):
                found += [source if target is one else None for one in _named(target, value.value)]
            case cst.AugAssign(target=target) | cst.AnnAssign(target=target):
                found += [None for _ in _named(target, value.value)]
            case cst.For(target=target) | cst.NamedExpr(target=target):
                found += [None for _ in _named(target, value.value)]
    return found[0] if len(found) == 1 and found[0] is not None else value


def _named(target: cst.CSTNode, name: str) -> list[cst.CSTNode]:
    return [part for part in walk(target) if isinstance(part, cst.Name) and part.value == name]
