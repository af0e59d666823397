"""Literals, and displays of tuples, lists, sets and dicts: values that are written out."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.sites import Format
from gotcha_lint.analysis.syntax import evaluated
from gotcha_lint.analysis.values import Kind, Value, holds_tracer, join_all, static

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


@lru_cache(maxsize=65536)
def of_literal(text: str) -> Value:
    """The value of a number or a string as it is written."""
    value = evaluated(text)
    return static(type(value).__name__, value)


def on_literal(
    flow: Flow, node: cst.Integer | cst.Float | cst.Imaginary | cst.SimpleString
) -> Value:
    return of_literal(node.value)


def on_fstring(flow: Flow, node: cst.FormattedString) -> Value:
    for part in node.parts:
        if isinstance(part, cst.FormattedStringExpression):
            value = flow.eval(part.expression)
            flow.record(Format, part.expression, value, bool(part.format_spec))
    return static("str")


def on_strings(flow: Flow, node: cst.ConcatenatedString) -> Value:
    flow.eval(node.left)
    flow.eval(node.right)
    return static("str")


def on_tuple(flow: Flow, node: cst.Tuple) -> Value:
    items = tuple(flow.eval(e.value) for e in node.elements)
    if any(e.__class__ is cst.StarredElement for e in node.elements):
        return Value(
            Kind.LIST, of="tuple", items=(join_all(items),), tracer=any(map(holds_tracer, items))
        )
    if items and all(v.kind is Kind.STATIC and v.literal is not None for v in items):
        return static("tuple", tuple(v.literal for v in items))
    return Value(Kind.TUPLE, items=items, tracer=any(map(holds_tracer, items)))


def on_list(flow: Flow, node: cst.List | cst.Set) -> Value:
    values = [flow.eval(e.value) for e in node.elements]
    kind = "list" if isinstance(node, cst.List) else "set"
    literals = tuple(v.literal for v in values)
    plain = values and all(isinstance(part, str | int) for part in literals)
    return container(kind, values)._replace(literal=literals if plain else None)


_WRITTEN_OUT = 16  # keys of a dict that are told apart


def on_dict(flow: Flow, node: cst.Dict) -> Value:
    keys: list[object] = []
    values: list[Value] = []
    for item in node.elements:
        if isinstance(item, cst.DictElement):
            keys.append(flow.eval(item.key).literal)
        values.append(flow.eval(item.value))
    if len(keys) == len(values) <= _WRITTEN_OUT and all(isinstance(key, str) for key in keys):
        tracer = any(map(holds_tracer, values))
        return Value(Kind.LIST, tracer, of="dict", items=tuple(values), literal=tuple(keys))
    return container("dict", values)


def container(kind: str, values: list[Value]) -> Value:
    items = (join_all(values),) if values else ()
    return Value(Kind.LIST, of=kind, items=items, tracer=any(map(holds_tracer, values)))
