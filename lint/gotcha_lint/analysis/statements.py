"""How each statement changes what is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import libcst as cst

from gotcha_lint.analysis import calls
from gotcha_lint.analysis.expressions import element
from gotcha_lint.analysis.model import Class, Function
from gotcha_lint.analysis.operations import arithmetic, test
from gotcha_lint.analysis.sites import (
    At,
    Bind,
    Define,
    Discard,
    Guard,
    Iterate,
    Loop,
    Match,
    Operate,
    Return,
    Store,
)
from gotcha_lint.analysis.state import join_states
from gotcha_lint.analysis.syntax import dotted, target_names, walk
from gotcha_lint.analysis.values import (
    UNKNOWN,
    Kind,
    Value,
    content,
    join,
    join_all,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def block(flow: Flow, body: cst.BaseSuite | cst.Module) -> None:
    for statement in body.body:
        if flow.state is None:
            return  # nothing runs after return, raise, break, continue
        if statement.__class__ is cst.SimpleStatementLine:
            for small in statement.body:  # type: ignore[attr-defined]
                _run(flow, small, statement)
        else:
            _run(flow, statement, statement)


def _run(flow: Flow, node: cst.CSTNode, statement: cst.CSTNode) -> None:
    if flow.state is None:
        return
    flow.order += 1
    flow.at = At(statement, flow.order, flow.loops, flow.guards)
    handler = _HANDLERS.get(node.__class__)
    if handler is not None:
        handler(flow, node)


# ---- assignments ---------------------------------------------------------------------------------


def on_expression(flow: Flow, node: cst.Expr) -> None:
    value = flow.eval(node.value)
    flow.record(Discard, node.value, value)


def on_assign(flow: Flow, node: cst.Assign) -> None:
    value = flow.eval(node.value)
    for target in node.targets:
        bind(flow, target.target, value, node.value)
        _alias(flow, target.target, node.value)


def _alias(flow: Flow, target: cst.CSTNode, source: cst.CSTNode) -> None:
    """`best = params` copies nothing."""
    name, original = dotted(target), dotted(source)
    if name and original and name != original and flow.state is not None:
        flow.state.aliases |= {(name, original)}


def on_annotated(flow: Flow, node: cst.AnnAssign) -> None:
    annotated = flow.annotation(node.annotation.annotation)
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
    if left.of == "int" and right.literal == 1 and any(not loop.short for loop in flow.loops):
        value = value._replace(varying="loop-variable")
    flow.record(Operate, node, left, right, value)
    bind(flow, node.target, value, node.value, augmented=True)


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


def _bind_attribute(flow: Flow, target: cst.Attribute, value: Value, augmented: bool) -> None:
    held, attr = flow.eval(target.value), target.attr.value
    flow.record(Store, target, held, value, augmented)
    name = dotted(target)
    if name is not None and flow.state is not None:
        flow.assign_attribute(name, value)
        flow.state.rebind(name)
    if held.kind in (Kind.OBJECT, Kind.CLASS) and held.cls is not None:
        flow.effect(("attr", held.cls, attr), value._replace(param="", ident=0, tracer=False))
        flow.effect(("stored", held.cls, attr), frozenset({flow.function.name}))


def _stored_into(flow: Flow, node: cst.CSTNode, held: Value, value: Value) -> None:
    """`table[key] = value` adds to what the container may hold."""
    name = dotted(node)
    if name is None or flow.state is None or held.kind is not Kind.LIST:
        return
    items = (join(content(held), value),) if held.items else (value,)
    grown = held._replace(items=items, literal=None, tracer=held.tracer or value.tracer)
    flow.assign_attribute(name, grown)


def on_delete(flow: Flow, node: cst.Del) -> None:
    for name in target_names(node.target):
        if flow.state is not None:
            flow.state.env.pop(name.value, None)
            flow.state.rebind(name.value)


# ---- leaving -------------------------------------------------------------------------------------


def on_return(flow: Flow, node: cst.Return) -> None:
    value = flow.eval(node.value) if node.value is not None else Value(Kind.NONE)
    if flow.function.is_generator:
        value = UNKNOWN
    flow.record(Return, node, value)
    flow.effect(("return", flow.id), value)
    flow.state = None


def on_raise(flow: Flow, node: cst.Raise) -> None:
    if node.exc is not None:
        flow.eval(node.exc)
    flow.state = None


def on_break(flow: Flow, node: cst.CSTNode) -> None:
    if flow.breaks:
        flow.breaks[-1] = join_states(flow.breaks[-1], flow.state)
    flow.state = None


def on_assert(flow: Flow, node: cst.Assert) -> None:
    test(flow, node.test, "assert")
    if node.msg is not None:
        flow.eval(node.msg)


# ---- branches ------------------------------------------------------------------------------------


def on_if(flow: Flow, node: cst.If) -> None:
    """`elif` chains are long in real code: they are walked, not recursed into."""
    outer, ends, current = flow.guards, [], node
    while True:
        test(flow, current.test, "if")
        before = flow.state.copy() if flow.state else None
        flow.guards = (*outer, Guard(current.test, True))
        _narrow(flow, current.test, True)
        block(flow, current.body)
        ends.append(flow.state)
        flow.state, flow.guards = before, (*outer, Guard(current.test, False))
        _narrow(flow, current.test, False)
        if not isinstance(current.orelse, cst.If):
            break
        current = current.orelse
    if isinstance(current.orelse, cst.Else):
        block(flow, current.orelse.body)
    flow.guards = outer
    for end in ends:
        flow.state = join_states(end, flow.state)


def _narrow(flow: Flow, condition: cst.BaseExpression, holds: bool) -> None:
    """After `if x is None` the other branch knows that x is there."""
    kind, node = condition.__class__, cast(Any, condition)
    if kind is cst.UnaryOperation and node.operator.__class__ is cst.Not:
        _narrow(flow, node.expression, not holds)
    elif kind is cst.BooleanOperation and holds and node.operator.__class__ is cst.And:
        _narrow(flow, node.left, True)
        _narrow(flow, node.right, True)
    elif kind is cst.Comparison and len(node.comparisons) == 1:
        part = node.comparisons[0]
        if part.comparator.__class__ is cst.Name and part.comparator.value == "None":
            is_none = part.operator.__class__ in (cst.Is, cst.Equal)
            _narrow_none(flow, dotted(node.left), is_none == holds)


def _narrow_none(flow: Flow, name: str | None, is_none: bool) -> None:
    if name is None or flow.state is None or name not in flow.state.env:
        return
    value = flow.state.env[name]
    if is_none:
        flow.state.env[name] = Value(Kind.NONE)
    elif value.maybe and not value.tracer and value.kind is not Kind.UNKNOWN:
        flow.state.env[name] = value._replace(maybe=False)


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
        block(flow, case.body)
        end = join_states(end, flow.state)
    flow.guards, flow.state = outer, join_states(end, before)


def _bind_pattern(flow: Flow, pattern: cst.CSTNode, subject: Value) -> None:
    for node in walk(pattern):
        name = getattr(node, "rest", None) or getattr(node, "name", None)
        if isinstance(node, cst.MatchAs | cst.MatchStar | cst.MatchMapping) and name is not None:
            whole = node is pattern
            flow.assign_name(name.value, subject if whole else UNKNOWN)
        elif isinstance(node, cst.MatchValue):
            pass


def on_with(flow: Flow, node: cst.With) -> None:
    for item in node.items:
        value = flow.eval(item.item)
        if item.asname is not None:
            bind(flow, item.asname.name, value, item.item)
    block(flow, node.body)


def on_try(flow: Flow, node: cst.Try | cst.TryStar) -> None:
    before = flow.state.copy() if flow.state else None
    block(flow, node.body)
    after = flow.state
    middle = join_states(before, after)
    if node.orelse is not None and flow.state is not None:
        block(flow, node.orelse.body)
        after = flow.state
    for handler in node.handlers:
        flow.state = middle.copy() if middle else None
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            flow.assign_name(handler.name.name.value, UNKNOWN)
        block(flow, handler.body)
        after = join_states(after, flow.state)
    flow.state = after
    if node.finalbody is not None:
        if flow.state is None:
            flow.state = middle
            block(flow, node.finalbody.body)
            flow.state = None
        else:
            block(flow, node.finalbody.body)


# ---- loops ---------------------------------------------------------------------------------------


def on_for(flow: Flow, node: cst.For) -> None:
    over = flow.eval(node.iter)
    names = frozenset(name.value for name in target_names(node.target))
    loop = Loop(node, "for", names, over, is_short(over, node.iter))
    flow.record(Iterate, node.iter, over, loop)

    def turn() -> None:
        bind(flow, node.target, item_of(flow, over, node.target), None)
        block(flow, node.body)

    _loop(flow, loop, turn, node.orelse)


def on_while(flow: Flow, node: cst.While) -> None:
    loop = Loop(node, "while", frozenset(), UNKNOWN, False)

    def turn() -> None:
        test(flow, node.test, "while")
        _narrow(flow, node.test, True)
        block(flow, node.body)

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
        flow.state = join_states(flow.state, before.copy() if before else None)
        flow.recording = True
        flow.at = replace_loops(at, flow.loops)
    flow.breaks.append(None)
    turn()
    ended = flow.breaks.pop()
    flow.loops, flow.at = outer, at
    flow.state = join_states(join_states(flow.state, ended), before)
    if orelse is not None and flow.state is not None:
        block(flow, orelse.body)


def replace_loops(at: At, loops: tuple[Loop, ...]) -> At:
    return at._replace(loops=loops)


def is_short(over: Value, node: cst.BaseExpression) -> bool:
    """Over a literal, or `range` of a few: code that sets up, not a training loop."""
    if over.kind is Kind.TUPLE or (over.kind is Kind.STATIC and isinstance(over.literal, tuple)):
        return True
    if isinstance(node, cst.List | cst.Tuple | cst.Set | cst.Dict):
        return True
    return over.of == "range" and isinstance(over.literal, int) and over.literal <= 4


def item_of(flow: Flow, over: Value, target: cst.CSTNode) -> Value:
    """What one turn of a loop over this value gets."""
    if over.kind in (Kind.ARRAY, Kind.HOST):
        return Value(over.kind, over.tracer, over.maybe)
    if over.kind is Kind.KEY:
        return flow.fresh(target, Value(Kind.KEY, over.tracer))
    if over.kind is Kind.STATIC:
        return Value(Kind.STATIC, of="int" if over.of == "range" else "", varying=over.varying)
    if over.kind in (Kind.LIST, Kind.TUPLE, Kind.ITER) and over.items:
        item = over.items[0] if len(over.items) == 1 else join_all(over.items)
        return flow.fresh(target, item) if item.kind is Kind.KEY else item
    return flow.fresh(target, Value(tracer=over.tracer, maybe=True))


# ---- definitions ---------------------------------------------------------------------------------


def on_function(flow: Flow, node: cst.FunctionDef) -> None:
    function = flow.model.by_node[id(node)]
    assert isinstance(function, Function)
    for param in function.params:
        if param.default is not None:
            flow.eval(param.default)
    value = flow.of_function((flow.model.path, function.number))._replace(site=flow.site(node))
    define(flow, node, function)
    for decorator in reversed(node.decorators):
        value = calls.decorate(flow, decorator, value)
    if function.cls is not None and node.decorators:
        flow.effect(("attr", (flow.model.path, function.cls.number), function.name), value)
    elif function.cls is None:
        flow.assign_name(function.name, value)


def define(flow: Flow, node: cst.CSTNode, function: Function) -> None:
    captures = {name: flow.load(name) for name in function.captured}
    flow.record(Define, node, function, captures)


def on_class(flow: Flow, node: cst.ClassDef) -> None:
    cls = flow.model.by_node[id(node)]
    assert isinstance(cls, Class)
    cid = (flow.model.path, cls.number)
    outer, before = flow.scopes, dict(flow.state.env) if flow.state else {}
    flow.scopes = [*outer, cls.scope]
    for statement in node.body.body:
        if flow.state is None:
            break
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            _class_field(flow, cid, small, statement)
        if isinstance(statement, cst.BaseCompoundStatement):
            _run(flow, statement, statement)
    flow.scopes = outer
    if flow.state is not None:
        flow.state.env = before
    value = Value(Kind.CLASS, of=cls.name, cls=cid)
    flow.assign_name(cls.name, value)


def _class_field(flow: Flow, cid: tuple[str, int], small: cst.CSTNode, line: cst.CSTNode) -> None:
    _run(flow, small, line)
    match small:
        case cst.AnnAssign(target=cst.Name(value=name)):
            value = flow.annotation(small.annotation.annotation)
            if value.kind is Kind.UNKNOWN and small.value is not None:
                value = flow.eval(small.value)._replace(maybe=True)
            flow.effect(("attr", cid, name), value)
        case cst.Assign(targets=targets):
            value = flow.eval(small.value)
            for target in targets:
                if isinstance(target.target, cst.Name):
                    flow.effect(("attr", cid, target.target.value), value)


_HANDLERS: dict[type, Callable[..., None]] = {
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
