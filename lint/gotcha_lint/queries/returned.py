"""What a function of the same file returns, as it is written there."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function, returned
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind, Value


def function_of(body: Body, value: Value) -> Function | None:
    """The one function that this surely is, where this file has it."""
    if value.kind is not Kind.FUNCTION or value.maybe or len(value.targets) != 1:
        return None
    path, number = next(iter(value.targets))
    return body.model.functions[number] if path == body.model.path else None


def lengths(function: Function) -> frozenset[int]:
    """How many values it returns: the lengths of its tuples; empty where one is not written out."""
    values = returned(function)
    if not all(map(_written_out, values)):
        return frozenset()
    return frozenset(len(value.elements) for value in values if isinstance(value, cst.Tuple))


def sizes(body: Body, value: Value) -> frozenset[int]:
    """The same of any function of the project; what it hands on of another one counts too."""
    function = function_of(body, value)
    found = lengths(function) if function is not None else frozenset[int]()
    if found or value.kind is not Kind.FUNCTION or value.maybe or len(value.targets) != 1:
        return found
    size = body.usage.gives.get(next(iter(value.targets)))
    return frozenset() if size is None else frozenset({size})


def is_number(value: cst.BaseExpression) -> bool:
    """Computed by an operator that no tuple has: `g @ w`, `-g`, `g / 2`."""
    match value:
        case cst.BinaryOperation(operator=operator):
            return not isinstance(operator, cst.Add | cst.Multiply | cst.BitOr | cst.Modulo)
        case cst.UnaryOperation() | cst.Comparison():
            return True
    return False


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


def gives_dict(function: Function | None) -> bool:
    """It returns a dict that is written out, wherever it returns."""
    values = returned(function) if function is not None else []
    return bool(values) and all(isinstance(value, cst.Dict) for value in values)


def _written_out(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Tuple) and all(
        type(element) is cst.Element for element in value.elements
    )
