"""What each expression is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis import calls, known, operations, varying
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.operations import test
from gotcha_lint.analysis.sites import (
    DonatedUse,
    Format,
    Index,
    Iterate,
    Loop,
)
from gotcha_lint.analysis.syntax import dotted, target_names
from gotcha_lint.analysis.values import (
    NONE,
    UNKNOWN,
    Kind,
    Value,
    content,
    holds_tracer,
    join_all,
    named,
    static,
    under_key,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_name(flow: Flow, node: cst.Name) -> Value:
    name, state = node.value, flow.state
    if state is not None:
        if name in state.donated:
            _donated(flow, node, name)
        value = state.env.get(name)
        if value is not None:
            return value
    return _CONSTANTS.get(name) or flow.load(name)


_CONSTANTS = {"True": static("bool", True), "False": static("bool", False), "None": NONE}


def _donated(flow: Flow, node: cst.CSTNode, name: str) -> None:
    assert flow.state is not None
    donation = flow.state.donated[name]
    flow.record(DonatedUse, node, name, donation, calls.inside(donation, node))


def on_attribute(flow: Flow, node: cst.Attribute) -> Value:
    state, full = flow.state, dotted(node)
    if full is not None and state is not None:
        if full in state.donated:
            _donated(flow, node, full)
        held = state.env.get(full)
        if held is not None:
            return held
    value = attribute(flow, flow.eval(node.value), node.attr.value)
    if full is not None and state is not None and full.startswith("self."):
        if value.kind in (Kind.KEY, Kind.UNKNOWN) and value.ident == 0:
            value = flow.fresh(node, value)
        flow.assign_attribute(full, value)
    return value


def attribute(flow: Flow, base: Value, name: str) -> Value:
    """What `base.name` holds."""
    if base.kind is Kind.NAMED:
        if base.literal is not None and not base.of:  # a project's module
            symbol = flow.project._member(base.literal, [name], 0)
            return flow.of_symbol(symbol) if symbol else UNKNOWN
        return flow.of_symbol(flow.project.symbol(f"{base.of}.{name}", flow.model.path))
    if base.kind in (Kind.OBJECT, Kind.CLASS) and base.cls is not None:
        return _member(flow, base, name)
    if (
        base.kind is Kind.OBJECT
        and base.of in calls.METHODS_OF
        and name in calls.METHODS_OF[base.of]
    ):
        return named(f"{base.of}.{name}")._replace(self_=(base,), literal=base.literal)
    found = known.attribute(base, name)
    if found is not None:
        return found
    return Value(tracer=base.tracer, maybe=True) if base.tracer else UNKNOWN


def _member(flow: Flow, base: Value, name: str) -> Value:
    """An attribute or a method of an instance of a project's class."""
    assert base.cls is not None
    project = flow.project
    for ancestor in project.ancestors(base.cls)[0]:
        stored = flow.view.get(("attr", ancestor, name))
        number = project.cls(ancestor).methods.get(name)
        if number is not None:
            return _or_below(flow, base, name, _method(flow, base, (ancestor[0], number), stored))
        if stored is not None:
            return _field(base, stored)
    abstract = _or_below(flow, base, name, UNKNOWN)
    if abstract is not UNKNOWN:
        return abstract
    value = known.attribute(base, name)
    if value is not None:
        return value
    if flow.project.is_a(base.cls, "flax.training.train_state.TrainState"):
        found = known.attribute(base._replace(of="flax.training.train_state.TrainState"), name)
        return found or UNKNOWN
    return Value(tracer=base.tracer, maybe=True)


def _or_below(flow: Flow, base: Value, name: str, method: Value) -> Value:
    """`self` may be of a class below, which has a method of its own."""
    own = flow.function.params[0].name if flow.function.is_method else ""
    if not own or base.param != own or base.cls is None or base.kind is not Kind.OBJECT:
        return method
    if method.via:
        return method
    if method.kind not in (Kind.FUNCTION, Kind.UNKNOWN):
        return method
    below = frozenset(
        fid
        for fid in flow.project.overrides(base.cls, name)
        if flow.project.function(fid).binds == "self" and not flow.project.function(fid).decorated
    )
    if not below:
        return method
    if method.kind is Kind.UNKNOWN:
        method = Value(Kind.FUNCTION, bound=1, self_=(base,), made="method")
    return method._replace(targets=method.targets | below)


def _field(base: Value, stored: Value) -> Value:
    if base.tracer and stored.kind in (Kind.ARRAY, Kind.KEY, Kind.TREE):
        return stored._replace(tracer=True)
    if base.tracer and stored.kind is Kind.UNKNOWN:
        return stored._replace(tracer=True, maybe=True)
    return stored


def _method(flow: Flow, base: Value, fid: tuple[str, int], stored: Value | None) -> Value:
    summary = flow.project.function(fid)
    value = stored if stored is not None and stored.kind is Kind.FUNCTION else flow.of_function(fid)
    if summary.binds == "" or (summary.binds == "self" and base.kind is Kind.CLASS):
        return value
    if stored is not None and stored.literal == "property":
        return flow.view.get(("return", fid)) or UNKNOWN
    return value._replace(bound=value.bound + 1, self_=(base,), made="method")


def on_literal(
    flow: Flow, node: cst.Integer | cst.Float | cst.Imaginary | cst.SimpleString
) -> Value:
    return known.of_literal(node.value)


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
        mark = next((v.varying for v in items if v.varying), "")
        return static("tuple", tuple(v.literal for v in items), mark)
    mark = next((v.varying for v in items if v.varying and v.kind is Kind.STATIC), "")
    return Value(Kind.TUPLE, items=items, tracer=any(map(holds_tracer, items)), varying=mark)


def on_list(flow: Flow, node: cst.List | cst.Set) -> Value:
    values = [flow.eval(e.value) for e in node.elements]
    kind = "list" if isinstance(node, cst.List) else "set"
    literals = tuple(v.literal for v in values)
    plain = values and all(isinstance(part, str | int) for part in literals)
    return _container(kind, values)._replace(literal=literals if plain else None)


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
    return _container("dict", values)


def _container(kind: str, values: list[Value]) -> Value:
    items = (join_all(values),) if values else ()
    return Value(Kind.LIST, of=kind, items=items, tracer=any(map(holds_tracer, values)))


def on_subscript(flow: Flow, node: cst.Subscript) -> Value:
    base = flow.eval(node.value)
    parts = [flow.eval(part.slice) for part in node.slice]
    index = parts[0] if len(parts) == 1 else Value(Kind.TUPLE, items=tuple(parts))
    flow.record(Index, node, base, index)
    return _item(flow, node, base, index)


def _item(flow: Flow, node: cst.Subscript, base: Value, index: Value) -> Value:
    kind = base.kind
    if kind in (Kind.ARRAY, Kind.HOST):
        mark = varying.of_index(node, index)
        return Value(kind, base.tracer or holds_tracer(index), base.maybe, varying=mark)
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
        return static("int" if base.of == "tuple" else "", varying=base.varying or index.varying)
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
        mark = varying.of_index(node, index)
        if isinstance(index.literal, str) and base.varying == "own-maximum":
            mark = base.varying  # encoded["input_ids"]
        return Value(tracer=base.tracer, maybe=base.maybe, varying=mark)
    return UNKNOWN


def _inside(index: Value, items: tuple[object, ...]) -> bool:
    return isinstance(index.literal, int) and -len(items) <= index.literal < len(items)


def on_slice(flow: Flow, node: cst.Slice) -> Value:
    lower, upper, step = (
        None if part is None else flow.eval(part) for part in (node.lower, node.upper, node.step)
    )
    bounds = [bound for bound in (lower, upper, step) if bound is not None]
    tracers = any(map(holds_tracer, bounds))
    unsure = tracers and not any(b.tracer and not b.maybe for b in bounds)
    mark = varying.of_slice(node, lower, upper)
    return Value(Kind.STATIC, of="slice", tracer=tracers, maybe=unsure, varying=mark)


def on_index(flow: Flow, node: cst.Index) -> Value:
    return flow.eval(node.value)


def on_named(flow: Flow, node: cst.NamedExpr) -> Value:
    from gotcha_lint.analysis.statements import bind

    value = flow.eval(node.value)
    bind(flow, node.target, value, node.value)
    return value


def on_lambda(flow: Flow, node: cst.Lambda) -> Value:
    from gotcha_lint.analysis.statements import define

    function = flow.model.by_node[id(node)]
    assert isinstance(function, Function)
    for param in function.params:
        if param.default is not None:
            flow.eval(param.default)
    define(flow, node, function)
    fid = (flow.model.path, function.number)
    return flow.of_function(fid)._replace(made="lambda", site=flow.site(node))


def on_comprehension(flow: Flow, node: cst.BaseComp) -> Value:
    from gotcha_lint.analysis.statements import bind, is_short, item_of

    if flow.state is None:
        return UNKNOWN
    outer, at, before = flow.loops, flow.at, dict(flow.state.env)
    clause: cst.CompFor | None = node.for_in
    while clause is not None:
        over = flow.eval(clause.iter)
        names = frozenset(name.value for name in target_names(clause.target))
        loop = Loop(node, "comprehension", names, over, is_short(over, clause.iter))
        flow.record(Iterate, clause.iter, over, loop)
        flow.loops = (*flow.loops, loop)
        flow.at = at._replace(loops=flow.loops)
        bind(flow, clause.target, item_of(flow, over, clause.target), None)
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
    whole = _container(kind, values)
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


def element(flow: Flow, value: Value, node: cst.CSTNode, position: int) -> Value:
    """The element that unpacking puts at a position."""
    if value.kind is Kind.KEY:
        made = value if value.ident else flow.fresh(node, value)
        return made._replace(ident=made.ident + 1 + position, literal=None)
    if value.kind in (Kind.ARRAY, Kind.HOST):
        return Value(value.kind, value.tracer, value.maybe)
    if value.kind is Kind.STATIC:
        return static("int" if value.of == "tuple" else "", varying=value.varying)
    if value.kind is Kind.TREE:
        return Value(Kind.UNKNOWN, value.tracer, True)
    if value.items and value.kind in (Kind.LIST, Kind.ITER):
        return content(value)
    return flow.fresh(node, Value(tracer=value.tracer, maybe=True))


def on_await(flow: Flow, node: cst.Await) -> Value:
    return flow.eval(node.expression)


def on_yield(flow: Flow, node: cst.Yield) -> Value:
    if isinstance(node.value, cst.From):
        value = flow.eval(node.value.item)
    elif node.value is not None:
        value = flow.eval(node.value)
        flow.effect(("return", flow.id), Value(Kind.ITER, items=(value._replace(ident=0),)))
    return UNKNOWN


HANDLERS: dict[type, Callable[..., Value]] = {
    cst.Name: on_name,
    cst.Attribute: on_attribute,
    cst.Call: calls.on_call,
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
    cst.BinaryOperation: operations.on_binary,
    cst.UnaryOperation: operations.on_unary,
    cst.BooleanOperation: operations.on_boolean,
    cst.Comparison: operations.on_comparison,
    cst.IfExp: operations.on_if_expression,
    cst.NamedExpr: on_named,
    cst.Lambda: on_lambda,
    cst.ListComp: on_comprehension,
    cst.SetComp: on_comprehension,
    cst.DictComp: on_comprehension,
    cst.GeneratorExp: on_comprehension,
    cst.Await: on_await,
    cst.Yield: on_yield,
}
