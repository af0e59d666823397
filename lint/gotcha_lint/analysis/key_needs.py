"""Conditions under which a function draws from a key: tests of its own parameters.

`if size != -1: x = draw(key)` does nothing with the key for callers that leave size at -1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import libcst as cst

from gotcha_lint.analysis.looked_at import bound_by, uses_of
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.syntax import is_none, literal, walk
from gotcha_lint.analysis.unread import stored
from gotcha_lint.analysis.values import UNKNOWN, FunctionId, Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_KEYS = ("key", "rng", "seed")  # in the names of parameters
_OPERATORS = {cst.Equal: True, cst.Is: True, cst.NotEqual: False, cst.IsNot: False}


class Need(NamedTuple):
    """The parameter of a function is equal to a constant, or is not; is true, or is not."""

    owner: FunctionId
    param: str
    holds: bool
    constant: Any
    by_default: bool  # it is so, or may be, where the parameter is left out


Needs = frozenset[Need]  # all of them
Ways = frozenset[Needs]  # one of them is enough
ALWAYS: Needs = frozenset()
ANYWAY: Ways = frozenset({ALWAYS})


def needs_here(flow: Flow) -> Needs:
    """What must hold for this place to be reached, as far as it is told by parameters."""
    return frozenset(
        need
        for guard in flow.guards
        for need in _told_by(flow, flow.function, guard.test, guard.when)
    )


def needs_there(flow: Flow, ways: Ways, target: FunctionId, given: dict[str, Value]) -> Ways:
    """What a function needs that is called here, told by what it is given of this one's own."""
    return frozenset(
        frozenset(
            own
            for need in needs
            if need.owner == target and _is_setting(value := given.get(need.param, UNKNOWN))
            for own in _need(flow, flow.function, value.param, need.holds, need.constant)
        )
        for needs in ways
    )


def _is_setting(value: Value) -> bool:
    """It may be any, and is handed on as it is."""
    return bool(value.param) and value.kind in (Kind.STATIC, Kind.UNKNOWN) and not value.tracer


def needs_of_pieces(flow: Flow, line: cst.CSTNode) -> Needs:
    """Of the keys that a line splits: when the one function that gets them looks at them."""
    names, uses = bound_by(line), uses_of(flow.body, line)
    if uses is None or len(uses.readers) != 1 or names & flow.function.shared:
        return ALWAYS
    found = [_looks_when(flow, each) for each in _given_to(flow, uses.readers[0], names)]
    return found[0] if len(found) == 1 else ALWAYS


def equals(value: Any, constant: Any) -> bool:
    """The constant stands for a test of what is true, or for the value of a comparison."""
    return bool(value) is constant if isinstance(constant, bool) else value == constant


def _told_by(flow: Flow, function: Function, test: cst.CSTNode, when: bool) -> Iterator[Need]:
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            yield from _told_by(flow, function, inner, not when)
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right) if when:
            yield from _told_by(flow, function, left, when)
            yield from _told_by(flow, function, right, when)
        case cst.Name(value=name):
            yield from _need(flow, function, name, when, True)
        case cst.Comparison(
            left=cst.Name(value=name),
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=constant)],
        ) if operator.__class__ in _OPERATORS:
            value = literal(constant)
            if is_none(constant) or isinstance(value, int | float | str):
                equal = _OPERATORS[operator.__class__] is when
                yield from _need(flow, function, name, equal, value)


def _need(flow: Flow, function: Function, name: str, holds: bool, constant: Any) -> Iterator[Need]:
    scope = function.scope.owner(name)
    owner = scope.function if scope is not None else None
    param = next((p for p in owner.params if p.name == name), None) if owner else None
    if scope is None or owner is None or param is None or len(scope.bound[name]) != 1:
        return  # it is assigned again
    default = literal(param.default)
    unread = param.default is not None and default is None and not is_none(param.default)
    by_default = unread or equals(default, constant) is holds
    yield Need((flow.model.path, owner.number), name, holds, constant, by_default)


def _given_to(flow: Flow, line: cst.CSTNode, names: set[str]) -> Iterator[Function]:
    """The functions of this one that some call of a line is given with all that is named."""
    nodes = list(walk(line))
    assigned = {id(node) for node in stored(nodes)}
    read = {id(n) for n in nodes if type(n) is cst.Name and n.value in names} - assigned
    for call in nodes:
        if isinstance(call, cst.Call) and read <= _parts(arg.value for arg in call.args):
            given = {a.value.value for a in call.args if isinstance(a.value, cst.Name)}
            for function in flow.model.functions:
                if function.parent is flow.function and function.name in given:
                    yield function


def _looks_when(flow: Flow, function: Function) -> Needs:
    """What all the tests tell that stand around the uses of its one parameter for keys."""
    keys = [p.name for p in function.params if any(word in p.name for word in _KEYS)]
    uses = _uses(function, keys[0]) if len(keys) == 1 else []
    for node in walk(function.node):
        if not isinstance(node, cst.If):
            continue
        needs = frozenset(_told_by(flow, function, node.test, True))
        inside = _parts([node.body])
        if needs and uses and all(id(use) in inside for use in uses):
            return needs
    return ALWAYS


def _uses(function: Function, name: str) -> list[cst.CSTNode]:
    body = getattr(function.node, "body", function.node)
    return [n for n in walk(body) if isinstance(n, cst.Name) and n.value == name]


def _parts(nodes: Iterable[cst.CSTNode]) -> set[int]:
    return {id(part) for node in nodes for part in walk(node)}
