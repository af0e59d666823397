"""What a call gives back, and what it tells the functions that it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.attributes import attribute, note_plain, note_setattr
from gotcha_lint.analysis.methods import is_pair, library_method, method, output_and_state
from gotcha_lint.analysis.propagation import apply_function, hand_over, tell
from gotcha_lint.analysis.results import made_of, of_fact
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.transforms import partial, transform
from gotcha_lint.analysis.values import (
    UNKNOWN,
    Kind,
    Kwargs,
    Value,
    defined,
    holds_tracer,
)
from gotcha_lint.facts import Fact

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_ALIKE = frozenset({"vmap", "jit", "nnx.jit", "checkpoint"})


def on_call(flow: Flow, node: cst.Call) -> Value:
    callee, base, name = callee_of(flow, node.func)
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    starred = False
    for arg in node.args:
        value = flow.eval(arg.value)
        if arg.star:
            starred = True
        elif arg.keyword is not None:
            kwargs[arg.keyword.value] = value
        elif not starred:
            args.append(value)
    result = apply(flow, node, callee, tuple(args), kwargs, base, name, starred)
    flow.record(Call, node, name, callee, tuple(args), kwargs, result, base=base, starred=starred)
    return result


def callee_of(flow: Flow, func: cst.BaseExpression) -> tuple[Value, Value | None, str]:
    """The function that is called, its object for a method, and the name to know it by."""
    if not isinstance(func, cst.Attribute):
        callee = flow.eval(func)
        return callee, None, callee.of if callee.kind is Kind.NAMED else ""
    attr = func.attr.value
    if flow.owners and flow.state is not None and dotted(func) in flow.state.env:
        return flow.eval(func), None, ""
    base = flow.eval(func.value)
    callee = attribute(flow, base, attr)
    if callee.kind is Kind.NAMED and callee.of:
        return callee, base if base.kind is not Kind.NAMED else None, callee.of
    return callee, base, "" if base.kind is Kind.NAMED else f"{_word(base)}.{attr}"


def _word(base: Value) -> str:
    if base.kind is Kind.OBJECT and base.cls is None:
        return base.of
    if base.kind is Kind.LIST:
        return base.of or "list"
    if base.kind is Kind.UNKNOWN:
        return "?"
    return base.kind.name.lower()


def apply(
    flow: Flow,
    node: cst.CSTNode,
    callee: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    base: Value | None,
    name: str,
    starred: bool,
) -> Value:
    """The value of a call, after telling every function it reaches what it is given."""
    match callee.kind:
        case Kind.NAMED:
            return _apply_named(flow, node, callee, args, kwargs, name)
        case Kind.FUNCTION if callee.of == "flax.module" and _same_result(callee):
            return Value(Kind.ARRAY, flow.staged or any(map(holds_tracer, args)), False)
        case Kind.FUNCTION:
            return apply_function(flow, node, callee, args, kwargs, starred)
        case Kind.CLASS:
            return _construct(flow, node, callee, args, kwargs)
        case Kind.OBJECT if callee.cls is not None:
            called = flow.project.method(callee.cls, "__call__")
            if called is not None:
                bound = defined(called)._replace(bound=1, self_=(callee,), made="method")
                return apply_function(flow, node, bound, args, kwargs, starred)
        case Kind.OBJECT if callee.of == "flax.nnx.Rngs":
            return flow.fresh(node, Value(Kind.KEY, flow.staged))
        case Kind.OBJECT if callee.of == "optax.GradientTransformation":
            return callee  # optax.inject_hyperparams(optax.adam)(1e-3)
        case Kind.OBJECT if callee.of == "flax.module":
            return Value(Kind.ARRAY, flow.staged or any(map(holds_tracer, args)), False)
    if base is not None:
        special = method(flow, node, base, name, args, kwargs)
        if special is not None:
            return special
    hand_over(flow, node, args, kwargs)
    if "mutable" in kwargs and is_pair(node, kwargs["mutable"]):
        traced = flow.staged or any(map(holds_tracer, args))
        return flow.fresh(node, output_and_state(Value(tracer=traced, maybe=True), traced))
    return flow.fresh(node, _unknown_result(args, kwargs))


def _same_result(function: Value) -> bool:
    """A layer of a library that was mapped or compiled, no more."""
    return not function.targets and {via.name for via in function.via} <= _ALIKE


def _unknown_result(args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    traced = any(map(holds_tracer, (*args, *kwargs.values())))
    return Value(tracer=traced, maybe=True)


def _apply_named(
    flow: Flow, node: cst.CSTNode, callee: Value, args: tuple[Value, ...], kwargs: Kwargs, name: str
) -> Value:
    if name in ("jax.tree_util.Partial", "functools.partial"):
        return partial(flow, node, args, kwargs)
    if callee.self_:
        return library_method(flow, node, callee, args, kwargs)
    fact = flow.facts.get(name)
    if fact.transform is not None:
        return transform(flow, node, callee, fact, args, kwargs)
    if name == "builtins.setattr":
        note_setattr(flow, node, args)
    if fact.host is not None:
        _declare_host(flow, args, fact.host)
    elif fact.calls is not None:
        return _calls_function(flow, node, fact, args, kwargs)
    else:
        hand_over(flow, node, args, kwargs)
    return of_fact(flow, node, name, fact, args, kwargs)


def _declare_host(flow: Flow, args: tuple[Value, ...], position: int) -> None:
    if position < len(args):
        for target in args[position].targets:
            flow.effect(("host", target), True)


def _calls_function(
    flow: Flow, node: cst.CSTNode, fact: Fact, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    """`jax.tree.map(f, tree)` and its kin call f here."""
    assert fact.calls is not None
    function = args[fact.calls] if fact.calls < len(args) else kwargs.get("f", UNKNOWN)
    rest = args[fact.calls + 1 :]
    given = tuple(
        Value(
            Kind.ARRAY if a.kind is Kind.TREE else Kind.UNKNOWN, a.tracer, a.kind is not Kind.TREE
        )
        for a in rest
    )
    if function.kind is Kind.FUNCTION:
        apply_function(flow, node, function, given, {}, False)
    traced = any(map(holds_tracer, rest))
    if fact.returns == "map":
        device = any(a.kind in (Kind.TREE, Kind.ARRAY) for a in rest)
        host = function.kind is Kind.NAMED and function.of.startswith("numpy.")
        if host:
            return Value(Kind.LIST, of="host-tree")
        return Value(
            Kind.TREE if device else Kind.UNKNOWN,
            traced,
            not device or function.kind is not Kind.NAMED,
        )
    return Value(tracer=traced, maybe=True)


def _construct(
    flow: Flow, node: cst.CSTNode, callee: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    """An instance of a project's class; its fields learn what they are given."""
    assert callee.cls is not None
    project, cid = flow.project, callee.cls
    maker = project.method(cid, "__init__")
    if maker is not None:
        bound = defined(maker)._replace(bound=1)
        tell(flow, node, maker, bound, args, kwargs, None)
    else:
        fields = [f for c in reversed(project.ancestors(cid)[0]) for f in project.cls(c).fields]
        for field, value in (*zip(fields, args, strict=False), *kwargs.items()):
            note_plain(flow, cid, field, value)
            flow.effect(
                ("attr", cid, field), value._replace(param="", ident=0, tracer=False, maybe=True)
            )
    return made_of(callee, args, kwargs)
