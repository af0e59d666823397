"""Which parameter of a function of the project an argument of a call fills."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import UNKNOWN, FunctionId, Value


class Filled(NamedTuple):
    name: str
    node: cst.BaseExpression
    value: Value


def still_free(
    project: Project, target: FunctionId, function: Value
) -> tuple[tuple[str, str, bool], ...]:
    """The parameters still to be given: without those a partial or a bound method has filled."""
    left = project.function(target).params
    if function.bound_names:
        left = tuple(p for p in left if p[0] not in function.bound_names)
    return left[function.bound :]


def filled(project: Project, target: FunctionId, function: Value, call: Call) -> list[Filled]:
    """In the order of the arguments, up to the first that is unpacked."""
    names = [p[0] for p in still_free(project, target, function) if p[1] == "positional"]
    found: list[Filled] = []
    place = 0
    for arg in call.node.args:
        if arg.star:
            break
        if arg.keyword is not None:
            name = arg.keyword.value
            found.append(Filled(name, arg.value, call.kwargs.get(name, UNKNOWN)))
        elif place < min(len(names), len(call.args)):
            found.append(Filled(names[place], arg.value, call.args[place]))
            place += 1
    return found


def filled_by(call: Call, node: cst.CSTNode) -> tuple[FunctionId, str] | None:
    """The one function that is called, and the parameter that gets this; None where not known."""
    project, callee = call.body.project, call.callee
    if project is None or len(callee.targets) != 1:
        return None
    target = next(iter(callee.targets))
    given = filled(project, target, callee, call)
    return next(((target, each.name) for each in given if each.node is node), None)
