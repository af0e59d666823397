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


def returned(function: Function) -> list[cst.BaseExpression]:
    """The values of all its `return`s; none where it may give something else too."""
    node = function.node
    if isinstance(node, cst.Lambda):
        return [node.body]
    if not isinstance(node, cst.FunctionDef) or function.is_generator or node.asynchronous:
        return []
    returns = [part for part in walk(node.body, into_functions=False) if type(part) is cst.Return]
    values = [part.value for part in returns if part.value is not None]
    return values if len(values) == len(returns) else []


def lengths(function: Function) -> frozenset[int]:
    """How many values it returns: the lengths of its tuples; empty where one is not written out."""
    values = returned(function)
    if not all(map(_written_out, values)):
        return frozenset()
    return frozenset(len(value.elements) for value in values if isinstance(value, cst.Tuple))


def _written_out(value: cst.BaseExpression) -> bool:
    return isinstance(value, cst.Tuple) and all(
        type(element) is cst.Element for element in value.elements
    )
