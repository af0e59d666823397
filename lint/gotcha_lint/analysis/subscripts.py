"""What an index or a slice cuts out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.sites import Index
from gotcha_lint.analysis.values import (
    COLLECTION,
    UNKNOWN,
    VARIABLES,
    Kind,
    Value,
    content,
    holds_tracer,
    origin,
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
        return Value(kind, tracer, base.maybe, origin(base))
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
        part = base.of == VARIABLES and isinstance(index.literal, str)
        return Value(Kind.TREE, base.tracer, base.maybe, COLLECTION if part else "")
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
