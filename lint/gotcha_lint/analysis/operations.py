"""Operators and comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.conditions import test
from gotcha_lint.analysis.sites import Operate, Test
from gotcha_lint.analysis.values import (
    HOST,
    STATIC,
    Kind,
    Value,
    holds_tracer,
    join,
    join_all,
    static,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_binary(flow: Flow, node: cst.BinaryOperation) -> Value:
    left, right = flow.eval(node.left), flow.eval(node.right)
    value = arithmetic(flow, left, right)
    flow.record(Operate, node, left, right, value)
    return value


_LEAVES = frozenset({Kind.UNKNOWN, Kind.TREE, Kind.HOST})
_HOLDERS = frozenset({Kind.LIST, Kind.TUPLE, Kind.OBJECT})


def arithmetic(flow: Flow, left: Value, right: Value) -> Value:
    """The value of `left + right` and its kin."""
    kinds = {left.kind, right.kind}
    if Kind.ARRAY in kinds:
        return Value(Kind.ARRAY, left.tracer or right.tracer, _both_maybe(left, right))
    computed = kinds & _LEAVES and not kinds & _HOLDERS
    if computed and (left.tracer or right.tracer):
        return Value(Kind.ARRAY, True, _both_maybe(left, right))
    if kinds == {Kind.STATIC}:
        of = left.of if left.of == right.of or left.of in ("str", "tuple", "list") else ""
        if {left.of, right.of} <= {"int", "float"}:
            of = "float" if "float" in (left.of, right.of) else "int"
        return static(of)
    if kinds <= {Kind.STATIC, Kind.HOST}:
        return HOST
    if left.kind is Kind.LIST:
        return join(left, right) if right.kind is left.kind else left
    if left.kind is Kind.TUPLE and right.kind in (Kind.TUPLE, Kind.LIST):
        return _chained(left, right)
    return Value(tracer=left.tracer or right.tracer, maybe=True)


def _chained(left: Value, right: Value) -> Value:
    """`(a, b) + rest`: one of a known length, if both are."""
    items = (*left.items, *right.items)
    traced, maybe = any(map(holds_tracer, items)), left.maybe or right.maybe
    if right.kind is Kind.TUPLE:
        return Value(Kind.TUPLE, traced, maybe, items=items)
    return Value(Kind.LIST, traced, maybe, "tuple", (join_all(items),))


def _both_maybe(left: Value, right: Value) -> bool:
    """Sure as soon as one side surely is a traced array."""
    sides = [v for v in (left, right) if v.tracer or v.kind is Kind.ARRAY]
    return all(v.maybe for v in sides)


def on_unary(flow: Flow, node: cst.UnaryOperation) -> Value:
    if isinstance(node.operator, cst.Not):
        test(flow, node.expression, "not")
        return static("bool")
    value = flow.eval(node.expression)
    if isinstance(node.operator, cst.Minus) and isinstance(value.literal, int | float):
        return static(value.of, -value.literal)
    return arithmetic(flow, value, STATIC) if value.kind is not Kind.STATIC else value


def on_comparison(flow: Flow, node: cst.Comparison) -> Value:
    left = flow.eval(node.left)
    result = static("bool")
    for position, part in enumerate(node.comparisons):
        right = flow.eval(part.comparator)
        one = _compare(flow, part.operator, left, right)
        flow.record(Operate, node if position == 0 else part, left, right, one)
        if position > 0:
            flow.record(Test, node, result, "chained comparison")
        result = one if position == 0 else join(result, one)
        left = right
    return result


_PLAIN = frozenset({cst.Is, cst.IsNot, cst.In, cst.NotIn})


def _compare(flow: Flow, operator: cst.BaseCompOp, left: Value, right: Value) -> Value:
    if operator.__class__ in _PLAIN:
        return static("bool")
    if _is_text(left) or _is_text(right) or Kind.NONE in (left.kind, right.kind):
        return static("bool")
    if Kind.UNKNOWN in (left.kind, right.kind) and not (left.tracer or right.tracer):
        return arithmetic(flow, left, right)  # of arrays, perhaps
    return (
        arithmetic(flow, left, right)
        if left.tracer
        or right.tracer
        or Kind.ARRAY in (left.kind, right.kind)
        or Kind.HOST in (left.kind, right.kind)
        else static("bool")
    )


def _is_text(value: Value) -> bool:
    return value.kind is Kind.STATIC and value.of in ("str", "tuple", "bytes", "type")
