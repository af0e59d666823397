"""Calls of jitted functions: what they are given, and which arguments are static."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.filling import still_free
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES, boundary
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind, Value, Via


class Argument(NamedTuple):
    name: str  # of the parameter, where it is known
    node: cst.BaseExpression
    value: Value


def compiled(call: Call) -> Via | None:
    """The jit that the called function went through, when it is called from plain Python."""
    if not call.body.eager or call.decorator or call.callee.kind is not Kind.FUNCTION:
        return None
    return boundary(call.callee)


def jitted_here(call: Call) -> Function | None:
    """The function, defined in the same body, that this very call of jit is given."""
    function = given_to_jit(call)
    return function if function is not None and function.parent is call.body.function else None


def given_to_jit(call: Call) -> Function | None:
    """The function of this file that this very call of jit is given."""
    via = call.result.via[-1] if call.result.via else None
    if via is None or via.name not in BOUNDARIES or not call.body.eager:
        return None
    if len(call.result.targets) != 1 or not (call.callee.kind is Kind.NAMED or is_own_jit(call)):
        return None
    path, number = next(iter(call.result.targets))
    return call.body.model.functions[number] if path == call.body.model.path else None


def is_own_jit(call: Call) -> bool:
    """A function of the project that jits what it is given, and keeps nothing by its name."""
    function, project, makers = call.arg(0), call.body.project, call.callee.targets
    if call.callee.kind is not Kind.FUNCTION or project is None:
        return False
    if function is None or function.kind is not Kind.FUNCTION:
        return False
    same = call.result.targets == function.targets and len(function.targets) == 1
    jits = call.result.via[:-1] == function.via and not call.callee.via
    return same and jits and not any(project.function(maker).decorated for maker in makers)


def called_name(call: Call) -> str:
    """The name of the function behind a call."""
    targets, project = call.callee.targets, call.body.project
    if len(targets) == 1 and project is not None:
        return project.function(next(iter(targets))).name
    return "the jitted function"


def arguments(call: Call) -> Iterator[Argument]:
    """What a call is given, with the names of the parameters as far as they are known."""
    names = _parameters(call)
    position = 0
    for arg in call.node.args:
        if arg.star:
            return
        if arg.keyword is not None:
            value = call.kwargs.get(arg.keyword.value, Value())
            yield Argument(arg.keyword.value, arg.value, value)
            continue
        if position < len(call.args):
            name = names[position] if position < len(names) else ""
            yield Argument(name, arg.value, call.args[position])
        position += 1


def static_arguments(call: Call) -> Iterator[Argument]:
    """Those whose value, not type, chooses the program."""
    via = compiled(call)
    if via is None or not via.known or not (via.static_nums or via.static_names):
        return
    shift = _filled_by_access(call, via)
    numbers = {number - shift for number in via.static_nums}
    for position, argument in enumerate(arguments(call)):
        by_number = position in numbers and position < len(call.args)
        if by_number or (argument.name and argument.name in via.static_names):
            yield argument


def _parameters(call: Call) -> list[str]:
    targets, project = call.callee.targets, call.body.project
    if len(targets) != 1 or project is None:
        return []
    left = still_free(project, next(iter(targets)), call.callee)
    return [param[0] for param in left if param[1] == "positional"]


def _filled_by_access(call: Call, via: Via) -> int:
    """A jitted method counts self among its arguments; `jit(self.method)` does not."""
    project = call.body.project
    if not call.callee.self_ or project is None or via.bound > 0:
        return 0
    return int(all(project.function(target).decorated for target in call.callee.targets))
