"""How each statement changes what is known: which function knows it, and the plain ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.assignments import bind, on_annotated, on_assign, on_augmented, on_delete
from gotcha_lint.analysis.closures import left_to_callers
from gotcha_lint.analysis.conditions import narrow, test
from gotcha_lint.analysis.definitions import on_class, on_function
from gotcha_lint.analysis.flags import take_side
from gotcha_lint.analysis.loops import on_break, on_for, on_while
from gotcha_lint.analysis.outcomes import returned_as
from gotcha_lint.analysis.sites import Discard, Match, Return
from gotcha_lint.analysis.standing import Guard
from gotcha_lint.analysis.state import join_states
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_if(flow: Flow, node: cst.If) -> None:
    """`elif` chains are long in real code: they are walked, not recursed into."""
    outer, ends, current = flow.guards, [], node
    if isinstance(node.test, cst.Name) and node.test.value == "False":
        return _otherwise(flow, node)
    while True:
        test(flow, current.test, "if")
        before = flow.state.copy() if flow.state else None
        flow.guards = (*outer, Guard(current.test, True))
        narrow(flow, current.test, True)
        flow.block(current.body)
        ends.append(flow.state)
        flow.state, flow.guards = before, (*outer, Guard(current.test, False))
        narrow(flow, current.test, False)
        if not isinstance(current.orelse, cst.If):
            break
        current = current.orelse
    if isinstance(current.orelse, cst.Else):
        flow.block(current.orelse.body)
    flow.guards = outer
    for end in ends:
        flow.state = join_states(end, flow.state)
    if flow.flags:
        take_side(flow)


def _otherwise(flow: Flow, node: cst.If) -> None:
    """`if False:` switches off what is below it."""
    if isinstance(node.orelse, cst.If):
        on_if(flow, node.orelse)
    elif node.orelse is not None:
        flow.block(node.orelse.body)


def on_match(flow: Flow, node: cst.Match) -> None:
    subject = flow.eval(node.subject)
    flow.record(Match, node, subject)
    outer, before, end = flow.guards, flow.state, None
    for case in node.cases:
        flow.state = before.copy() if before else None
        flow.guards = (*outer, Guard(node.subject, True))
        _bind_pattern(flow, case.pattern, subject)
        if case.guard is not None:
            test(flow, case.guard, "if")
        flow.block(case.body)
        end = join_states(end, flow.state)
    flow.guards, flow.state = outer, join_states(end, before)


def _bind_pattern(flow: Flow, pattern: cst.CSTNode, subject: Value) -> None:
    for node in walk(pattern):
        name = getattr(node, "rest", None) or getattr(node, "name", None)
        if isinstance(node, cst.MatchAs | cst.MatchStar | cst.MatchMapping) and name is not None:
            flow.assign_name(name.value, subject if node is pattern else UNKNOWN)


def on_try(flow: Flow, node: cst.Try | cst.TryStar) -> None:
    before = flow.state.copy() if flow.state else None
    flow.block(node.body)
    after = flow.state
    middle = join_states(before, after)
    if node.orelse is not None and flow.state is not None:
        flow.block(node.orelse.body)
        after = flow.state
    for handler in node.handlers:
        flow.state = middle.copy() if middle else None
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            flow.assign_name(handler.name.name.value, UNKNOWN)
        flow.block(handler.body)
        after = join_states(after, flow.state)
    flow.state = after
    if node.finalbody is not None:
        if flow.state is None:
            flow.state = middle
            flow.block(node.finalbody.body)
            flow.state = None
        else:
            flow.block(node.finalbody.body)


def on_expression(flow: Flow, node: cst.Expr) -> None:
    value = flow.eval(node.value)
    flow.record(Discard, node.value, value)


def on_return(flow: Flow, node: cst.Return) -> None:
    value = flow.eval(node.value) if node.value is not None else Value(Kind.NONE)
    if flow.function.is_generator:
        value = UNKNOWN
    flow.record(Return, node, value)
    flow.effect((returned_as(flow, value), flow.id), left_to_callers(flow, value))
    flow.state = None


def on_raise(flow: Flow, node: cst.Raise) -> None:
    if node.exc is not None:
        flow.eval(node.exc)
    flow.state = None


def on_assert(flow: Flow, node: cst.Assert) -> None:
    test(flow, node.test, "assert")
    if node.msg is not None:
        flow.eval(node.msg)


def on_with(flow: Flow, node: cst.With) -> None:
    for item in node.items:
        value = flow.eval(item.item)
        if item.asname is not None:
            bind(flow, item.asname.name, value, item.item)
    flow.block(node.body)


HANDLERS: dict[type, Callable[..., None]] = {
    cst.Expr: on_expression,
    cst.Assign: on_assign,
    cst.AnnAssign: on_annotated,
    cst.AugAssign: on_augmented,
    cst.Del: on_delete,
    cst.Return: on_return,
    cst.Raise: on_raise,
    cst.Break: on_break,
    cst.Continue: on_break,
    cst.Assert: on_assert,
    cst.If: on_if,
    cst.Match: on_match,
    cst.With: on_with,
    cst.Try: on_try,
    cst.TryStar: on_try,
    cst.For: on_for,
    cst.While: on_while,
    cst.FunctionDef: on_function,
    cst.ClassDef: on_class,
}
