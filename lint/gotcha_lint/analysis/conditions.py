"""Expressions whose truth is asked, and what each answer tells about the names in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import libcst as cst

from gotcha_lint.analysis.flags import choose, decided, take_side
from gotcha_lint.analysis.sites import Test
from gotcha_lint.analysis.syntax import dotted, is_none
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value, join

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def test(flow: Flow, node: cst.BaseExpression, what: str) -> Value:
    """Evaluates an expression whose truth is asked."""
    value = flow.eval(node)
    if not isinstance(node, cst.BooleanOperation):
        flow.record(Test, node, value, what)
    elif not isinstance(node.right, cst.BooleanOperation):
        flow.record(Test, node.right, flow.rights.pop(id(node), UNKNOWN), what)
    return value


def on_boolean(flow: Flow, node: cst.BooleanOperation) -> Value:
    word = "and" if isinstance(node.operator, cst.And) else "or"
    left = test(flow, node.left, word)
    before = flow.state.copy() if flow.state else None
    narrow(flow, node.left, word == "and")
    right = flow.rights[id(node)] = flow.eval(node.right)
    flow.state = before if before is not None else flow.state
    if flow.flags:
        take_side(flow)
    return join(left, right)


def on_if_expression(flow: Flow, node: cst.IfExp) -> Value:
    test(flow, node.test, "if-else")
    before = flow.state.copy() if flow.state else None
    narrow(flow, node.test, True)
    body = flow.eval(node.body)
    flow.state = before.copy() if before else flow.state
    narrow(flow, node.test, False)
    other = flow.eval(node.orelse)
    flow.state = before if before is not None else flow.state
    if flow.flags:
        take_side(flow)
        if (truth := decided(flow, node.test)) is not None:
            return body if truth else other
    return join(body, other)


def narrow(flow: Flow, condition: cst.BaseExpression, holds: bool) -> None:
    """After `if x is None` the other branch knows that x is there."""
    if flow.flags:
        choose(flow, condition, holds)
    kind, node = condition.__class__, cast(Any, condition)
    if kind is cst.UnaryOperation and node.operator.__class__ is cst.Not:
        narrow(flow, node.expression, not holds)
    elif kind is cst.BooleanOperation and holds and node.operator.__class__ is cst.And:
        narrow(flow, node.left, True)
        narrow(flow, node.right, True)
    elif kind is cst.Comparison and len(node.comparisons) == 1:
        part = node.comparisons[0]
        if is_none(part.comparator):
            equal = part.operator.__class__ in (cst.Is, cst.Equal)
            _narrow_none(flow, dotted(node.left), equal == holds)


def _narrow_none(flow: Flow, name: str | None, is_none: bool) -> None:
    if name is None or flow.state is None or name not in flow.state.env:
        return
    value = flow.state.env[name]
    if is_none:
        flow.state.env[name] = Value(Kind.NONE)
    elif value.maybe and not value.tracer and value.kind is not Kind.UNKNOWN:
        flow.state.env[name] = value._replace(maybe=False)
