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
from gotcha_lint.analysis.loops import (
    on_comprehension,
    on_dict,
    on_fstring,
    on_list,
    on_literal,
    on_strings,
    on_tuple,
)
from gotcha_lint.analysis.names import on_name
from gotcha_lint.analysis.operations import on_binary, on_comparison, on_unary
from gotcha_lint.analysis.sites import Index
from gotcha_lint.analysis.values import (
    UNKNOWN,
    Kind,
    Value,
    content,
    holds_tracer,
    static,
    under_key,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_subscript(flow: Flow, node: cst.Subscript) -> Value:
    base = flow.eval(node.value)
    parts = [flow.eval(part.slice) for part in node.slice]
    index = parts[0] if len(parts) == 1 else Value(Kind.TUPLE, items=tuple(parts))
    flow.record(Index, node, base, index)
    return _item(flow, node, base, index)


def _item(flow: Flow, node: cst.Subscript, base: Value, index: Value) -> Value:
    kind = base.kind
    if kind in (Kind.ARRAY, Kind.HOST):
        tracer = base.tracer or holds_tracer(index)
        return Value(kind, tracer, base.maybe)
    if kind is Kind.KEY:
        number = index.literal
        if isinstance(number, int) and base.ident and 0 <= number < 1000:
            return base._replace(ident=base.ident + 1 + number, literal=None)
        return (
            flow.fresh(node, Value(Kind.KEY, base.tracer)) if flow.loops else base._replace(ident=0)
        )
    if kind is Kind.TUPLE and _inside(index, base.items):
        return base.items[index.literal]
    if kind is Kind.STATIC:
        if isinstance(base.literal, tuple) and _inside(index, base.literal):
            item = base.literal[index.literal]
            return static(type(item).__name__, item)
        return static("int" if base.of == "tuple" else "")
    if kind is Kind.OBJECT and base.of == "jax.at":
        return base
    if kind in (Kind.LIST, Kind.ITER) and base.items:
        exact = under_key(base, index.literal)
        if exact is not None:
            return exact
        item = content(base)
        return item._replace(maybe=item.maybe or base.of != "list")
    if kind is Kind.TREE:
        return Value(Kind.TREE, base.tracer, base.maybe)
    if kind is Kind.UNKNOWN:
        return Value(tracer=base.tracer, maybe=base.maybe)
    return UNKNOWN


def _inside(index: Value, items: tuple[object, ...]) -> bool:
    return isinstance(index.literal, int) and -len(items) <= index.literal < len(items)


def on_slice(flow: Flow, node: cst.Slice) -> Value:
    parts = (node.lower, node.upper, node.step)
    bounds = [flow.eval(part) for part in parts if part is not None]
    tracers = any(map(holds_tracer, bounds))
    unsure = tracers and not any(b.tracer and not b.maybe for b in bounds)
    return Value(Kind.STATIC, of="slice", tracer=tracers, maybe=unsure)


def on_index(flow: Flow, node: cst.Index) -> Value:
    return flow.eval(node.value)


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
