"""Assignments: to names, attributes, subscripts, and tuples of such."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import libcst as cst

from gotcha_lint.analysis.annotations import promised
from gotcha_lint.analysis.attributes import note_plain
from gotcha_lint.analysis.operations import arithmetic
from gotcha_lint.analysis.sites import Bind, Operate, Store
from gotcha_lint.analysis.syntax import dotted, target_names
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value, content, join, static

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_assign(flow: Flow, node: cst.Assign) -> None:
    value = flow.eval(node.value)
    for target in node.targets:
        bind(flow, target.target, value, node.value)


def on_annotated(flow: Flow, node: cst.AnnAssign) -> None:
    annotated = promised(flow, node.annotation.annotation)
    value = flow.eval(node.value) if node.value is not None else UNKNOWN
    if value.kind is Kind.UNKNOWN and annotated.kind is not Kind.UNKNOWN:
        value = annotated._replace(tracer=value.tracer)
    if node.value is not None:
        bind(flow, node.target, value, node.value)


def on_augmented(flow: Flow, node: cst.AugAssign) -> None:
    left, right = flow.eval(node.target), flow.eval(node.value)
    value = arithmetic(flow, left, right)
    if left.kind is Kind.LIST:
        value = join(left, right) if right.kind is Kind.LIST else left
    flow.record(Operate, node, left, right, value)
    bind(flow, node.target, value, node.value, augmented=True)


def on_named(flow: Flow, node: cst.NamedExpr) -> Value:
    value = flow.eval(node.value)
    bind(flow, node.target, value, node.value)
    return value


def on_delete(flow: Flow, node: cst.Del) -> None:
    for name in target_names(node.target):
        if flow.state is not None:
            flow.state.env.pop(name.value, None)


def bind(
    flow: Flow,
    target: cst.CSTNode,
    value: Value,
    source: cst.CSTNode | None,
    *,
    augmented: bool = False,
) -> None:
    """Assigns to a name, an attribute, a subscript, or a tuple of such."""
    kind, node = target.__class__, cast(Any, target)
    if kind is cst.Name:
        name = node.value
        old = flow.state.env.get(name) if flow.state else None
        flow.assign_name(name, value)
        flow.record(Bind, node, name, value, old, source)
    elif kind is cst.Tuple or kind is cst.List:
        _bind_elements(flow, node.elements, value)
    elif kind is cst.Attribute:
        _bind_attribute(flow, node, value, augmented)
    elif kind is cst.Subscript:
        held = flow.eval(node.value)
        for part in node.slice:
            flow.eval(part.slice)
        flow.record(Store, node, held, value, augmented)
        _stored_into(flow, node.value, held, value)
    elif kind is cst.StarredElement:
        bind(flow, node.value, Value(Kind.LIST, of="list"), source)


def _bind_elements(flow: Flow, elements: Sequence[cst.BaseElement], value: Value) -> None:
    starred = any(e.__class__ is cst.StarredElement for e in elements)
    exact = value.kind is Kind.TUPLE and len(value.items) == len(elements) and not starred
    for position, one in enumerate(elements):
        item = value.items[position] if exact else element(flow, value, one, position)
        bind(flow, one if one.__class__ is cst.StarredElement else one.value, item, None)


def element(flow: Flow, value: Value, node: cst.CSTNode, position: int) -> Value:
    """The element that unpacking puts at a position."""
    if value.kind is Kind.KEY:
        made = value if value.ident else flow.fresh(node, value)
        return made._replace(ident=made.ident + 1 + position, literal=None)
    if value.kind in (Kind.ARRAY, Kind.HOST):
        return Value(value.kind, value.tracer, value.maybe)
    if value.kind is Kind.STATIC:
        return static("int" if value.of == "tuple" else "")
    if value.kind is Kind.TREE:
        return Value(Kind.UNKNOWN, value.tracer, True)
    if value.items and value.kind in (Kind.LIST, Kind.ITER):
        return content(value)
    return flow.fresh(node, Value(tracer=value.tracer, maybe=True))


def _bind_attribute(flow: Flow, target: cst.Attribute, value: Value, augmented: bool) -> None:
    held, attr = flow.eval(target.value), target.attr.value
    flow.record(Store, target, held, value, augmented)
    name = dotted(target)
    if name is not None and flow.state is not None:
        flow.assign_attribute(name, value)
    if held.kind in (Kind.OBJECT, Kind.CLASS) and held.cls is not None:
        flow.effect(("attr", held.cls, attr), value._replace(param="", ident=0, tracer=False))
        flow.effect(("stored", held.cls, attr), frozenset({flow.function.name}))
        note_plain(flow, held.cls, attr, value)


def _stored_into(flow: Flow, node: cst.CSTNode, held: Value, value: Value) -> None:
    """`table[key] = value` adds to what the container may hold."""
    name = dotted(node)
    if name is None or flow.state is None or held.kind is not Kind.LIST:
        return
    items = (join(content(held), value),) if held.items else (value,)
    grown = held._replace(items=items, literal=None, tracer=held.tracer or value.tracer)
    flow.assign_attribute(name, grown)
