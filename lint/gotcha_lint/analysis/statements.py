"""How each statement changes what is known: which function knows it, and the plain ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.assignments import bind, on_annotated, on_assign, on_augmented, on_delete
from gotcha_lint.analysis.branches import on_if, on_match, on_try
from gotcha_lint.analysis.closures import left_to_callers
from gotcha_lint.analysis.conditions import test
from gotcha_lint.analysis.definitions import on_class, on_function
from gotcha_lint.analysis.loops import on_break, on_for, on_while
from gotcha_lint.analysis.sites import Discard, Enter, Return
from gotcha_lint.analysis.unfilled import returned_as
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


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
        flow.record(Enter, item.item, value)
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
