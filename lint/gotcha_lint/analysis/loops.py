"""Loops and comprehensions."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.assignments import bind
from gotcha_lint.analysis.conditions import narrow, test
from gotcha_lint.analysis.sites import Format, Iterate, Loop
from gotcha_lint.analysis.state import State, join_states
from gotcha_lint.analysis.syntax import dotted, evaluated, target_names
from gotcha_lint.analysis.values import (
    UNKNOWN,
    Kind,
    Value,
    holds_tracer,
    identified,
    join_all,
    static,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_for(flow: Flow, node: cst.For) -> None:
    over = flow.eval(node.iter)
    names = frozenset(name.value for name in target_names(node.target))
    loop = Loop(node, "for", names, over, _is_short(over, node.iter))
    flow.record(Iterate, node.iter, over, loop)

    def turn() -> None:
        bind(flow, node.target, _item_of(flow, over, node.target), None)
        flow.block(node.body)

    _loop(flow, loop, turn, node.orelse)


def on_while(flow: Flow, node: cst.While) -> None:
    loop = Loop(node, "while", frozenset(), UNKNOWN, False)

    def turn() -> None:
        test(flow, node.test, "while")
        narrow(flow, node.test, True)
        flow.block(node.body)

    _loop(flow, loop, turn, node.orelse)


def _loop(flow: Flow, loop: Loop, turn: Callable[[], None], orelse: cst.Else | None) -> None:
    outer, at, recording = flow.loops, flow.at, flow.recording
    before = flow.state.copy() if flow.state else None
    flow.loops = (*outer, loop)
    if recording:  # the first walk only learns what one turn leaves behind
        flow.recording = False
        flow.breaks.append(None)
        turn()
        flow.breaks.pop()
        after = flow.state
        flow.state = join_states(after, before.copy() if before else None)
        if before is not None and after is not None:
            _tell_turns_apart(flow, loop, before, after)
        flow.recording = True
        flow.at = at._replace(loops=flow.loops)
    flow.breaks.append(None)
    turn()
    ended = flow.breaks.pop()
    flow.loops, flow.at = outer, at
    flow.state = join_states(join_states(flow.state, ended), before)
    if orelse is not None and flow.state is not None:
        flow.block(orelse.body)


def _tell_turns_apart(flow: Flow, loop: Loop, before: State, after: State) -> None:
    """A key that each turn makes again for the next is one key within a turn."""
    assert flow.state is not None
    base = (flow.model.number(loop.node) + 1) * 1024
    for number, (name, value) in enumerate(before.env.items()):
        new = after.env.get(name)
        made = new is not None and new.kind is Kind.KEY and new.ident != value.ident
        if made and value.ident and value.kind in (Kind.KEY, Kind.UNKNOWN):
            flow.state.env[name] = identified(flow.state.env[name], base + number % 1024)


def on_break(flow: Flow, node: cst.CSTNode) -> None:
    if flow.breaks:
        flow.breaks[-1] = join_states(flow.breaks[-1], flow.state)
    flow.state = None


def on_comprehension(flow: Flow, node: cst.BaseComp) -> Value:
    if flow.state is None:
        return UNKNOWN
    outer, at, before = flow.loops, flow.at, dict(flow.state.env)
    clause: cst.CompFor | None = node.for_in
    while clause is not None:
        over = flow.eval(clause.iter)
        names = frozenset(name.value for name in target_names(clause.target))
        loop = Loop(node, "comprehension", names, over, _is_short(over, clause.iter))
        flow.record(Iterate, clause.iter, over, loop)
        flow.loops = (*flow.loops, loop)
        flow.at = at._replace(loops=flow.loops)
        bind(flow, clause.target, _item_of(flow, over, clause.target), None)
        for condition in clause.ifs:
            test(flow, condition.test, "if")
        clause = clause.inner_for_in
    values = _comprehended(flow, node)
    if flow.recording and values:  # a second turn: what the first used up is gone
        values = _comprehended(flow, node)
    flow.loops, flow.at = outer, at
    if flow.state is not None:
        flow.state.env = before
    kind = _COMPREHENSION_KINDS.get(node.__class__, "list")
    whole = container(kind, values)
    return whole._replace(kind=Kind.ITER) if kind == "generator" else whole


def _comprehended(flow: Flow, node: cst.BaseComp) -> list[Value]:
    parts = [getattr(node, name, None) for name in ("key", "elt", "value")]
    values = [flow.eval(part) for part in parts if part is not None]
    return values[-1:]


_COMPREHENSION_KINDS = {
    cst.ListComp: "list",
    cst.SetComp: "set",
    cst.DictComp: "dict",
    cst.GeneratorExp: "generator",
}


_DISPLAYS = (cst.List, cst.Tuple, cst.Set, cst.Dict)
_COMBINES = ("product", "permutations", "combinations", "enumerate", "reversed")


def _is_short(over: Value, node: cst.BaseExpression) -> bool:
    """Over a literal, or `range` of a few: code that sets up, not a training loop."""
    if over.kind is Kind.TUPLE or (over.kind is Kind.STATIC and isinstance(over.literal, tuple)):
        return True
    if isinstance(node, _DISPLAYS):
        return True
    if isinstance(node, cst.Call):
        unknown = over.of == "range" and over.literal is None and len(node.args) == 1
        if unknown and _counts_dimensions(node.args[0].value):
            return True
        name, written = dotted(node.func) or "", [isinstance(a.value, _DISPLAYS) for a in node.args]
        if name.endswith("zip"):
            return any(written)  # it ends with the shortest
        if name.endswith(_COMBINES):
            return bool(written) and all(written)
    return over.of == "range" and isinstance(over.literal, int) and over.literal <= 4


def _counts_dimensions(node: cst.BaseExpression) -> bool:
    """`d`, `d - 1`, `x.ndim`: a program has few of them."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.right, cst.Integer):
        node = node.left
    return (dotted(node) or "").rpartition(".")[2] in _DIMENSIONS


_DIMENSIONS = frozenset(["d", "dim", "dims", "ndim", "ndims", "n_dim", "n_dims", "num_dims"])


def _item_of(flow: Flow, over: Value, target: cst.CSTNode) -> Value:
    """What one turn of a loop over this value gets."""
    if over.kind in (Kind.ARRAY, Kind.HOST):
        return Value(over.kind, over.tracer, over.maybe)
    if over.kind is Kind.KEY:
        return flow.fresh(target, Value(Kind.KEY, over.tracer))
    if over.kind is Kind.STATIC:
        return Value(Kind.STATIC, of="int" if over.of == "range" else "")
    if over.kind in (Kind.LIST, Kind.TUPLE, Kind.ITER) and over.items:
        item = over.items[0] if len(over.items) == 1 else join_all(over.items)
        return flow.fresh(target, item) if item.kind is Kind.KEY else item
    return flow.fresh(target, Value(tracer=over.tracer, maybe=True))


# Literals, and displays of tuples, lists, sets and dicts: values that are written out


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
