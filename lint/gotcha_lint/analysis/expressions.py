"""What each expression is worth: which function knows it, and the plain ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.assignments import on_named
from gotcha_lint.analysis.attributes import on_attribute
from gotcha_lint.analysis.calls import on_call
from gotcha_lint.analysis.conditions import on_boolean, on_if_expression
from gotcha_lint.analysis.definitions import on_lambda
from gotcha_lint.analysis.displays import (
    on_dict,
    on_fstring,
    on_list,
    on_literal,
    on_strings,
    on_tuple,
)
from gotcha_lint.analysis.loops import on_comprehension
from gotcha_lint.analysis.names import on_name
from gotcha_lint.analysis.operations import on_binary, on_comparison, on_unary
from gotcha_lint.analysis.subscripts import on_index, on_slice, on_subscript
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_await(flow: Flow, node: cst.Await) -> Value:
    return flow.eval(node.expression)


def on_yield(flow: Flow, node: cst.Yield) -> Value:
    if isinstance(node.value, cst.From):
        value = flow.eval(node.value.item)
        if value.kind is Kind.ITER and value.items:
            flow.effect(("return", flow.id), Value(Kind.ITER, items=value.items))
    elif node.value is not None:
        value = flow.eval(node.value)
        flow.effect(("return", flow.id), Value(Kind.ITER, items=(value._replace(ident=0),)))
    return UNKNOWN


HANDLERS: dict[type, Callable[..., Value]] = {
    cst.Name: on_name,
    cst.Attribute: on_attribute,
    cst.Call: on_call,
    cst.Integer: on_literal,
    cst.Float: on_literal,
    cst.Imaginary: on_literal,
    cst.SimpleString: on_literal,
    cst.ConcatenatedString: on_strings,
    cst.FormattedString: on_fstring,
    cst.Tuple: on_tuple,
    cst.List: on_list,
    cst.Set: on_list,
    cst.Dict: on_dict,
    cst.Subscript: on_subscript,
    cst.Slice: on_slice,
    cst.Index: on_index,
    cst.BinaryOperation: on_binary,
    cst.UnaryOperation: on_unary,
    cst.BooleanOperation: on_boolean,
    cst.Comparison: on_comparison,
    cst.IfExp: on_if_expression,
    cst.NamedExpr: on_named,
    cst.Lambda: on_lambda,
    cst.ListComp: on_comprehension,
    cst.SetComp: on_comprehension,
    cst.DictComp: on_comprehension,
    cst.GeneratorExp: on_comprehension,
    cst.Await: on_await,
    cst.Yield: on_yield,
}
