"""Statements of which only some parts run: if, match, try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.conditions import narrow, test
from gotcha_lint.analysis.flags import take_side
from gotcha_lint.analysis.sites import Match
from gotcha_lint.analysis.standing import Guard
from gotcha_lint.analysis.state import join_states
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import UNKNOWN, Value

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
