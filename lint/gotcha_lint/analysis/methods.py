"""What methods give back: of containers, arrays, models, optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis import known
from gotcha_lint.analysis.key_uses import use_key
from gotcha_lint.analysis.propagation import onward, tell
from gotcha_lint.analysis.results import LINEN, PIPE
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.transforms import CUSTOM_RULES, custom_rules
from gotcha_lint.analysis.values import (
    STATIC,
    UNKNOWN,
    Kind,
    Kwargs,
    Value,
    content,
    defined,
    holds_tracer,
    instance,
    join,
    under_key,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def method(
    flow: Flow, node: cst.CSTNode, base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs
) -> Value | None:
    """Methods of containers, arrays and model objects."""
    attr = name.rpartition(".")[2]
    if base.kind is Kind.CLASS and base.cls is not None and attr == "create":
        made = flow.project.is_a(base.cls, known.TRAIN_STATE)
        if made and "tx" in kwargs:
            flow.effect(("attr", base.cls, "tx"), kwargs["tx"]._replace(param=""))
        return (
            instance(base.of, cls=base.cls, tracer=any(map(holds_tracer, kwargs.values())))
            if made
            else None
        )
    if base.kind is Kind.LIST:
        return _container_method(flow, node, base, attr, args)
    if (
        base.kind is Kind.OBJECT
        and base.of in known.STATE_OBJECTS
        and attr in ("replace", "apply_gradients")
    ):
        return base
    if base.kind is Kind.OBJECT and base.cls is not None:
        return _model_method(flow, node, base, attr, args, kwargs)
    if base.kind is Kind.FUNCTION and attr in CUSTOM_RULES:
        return custom_rules(flow, node, args, kwargs)
    if base.of == "flax.nnx.Rngs" and not args and attr not in ("fork", "split"):
        return flow.fresh(node, Value(Kind.KEY, flow.staged))  # rngs.dropout()
    return known.method_result(base, attr)


def _container_method(
    flow: Flow, node: cst.CSTNode, base: Value, attr: str, args: tuple[Value, ...]
) -> Value | None:
    if attr in ("append", "add", "extend", "insert", "appendleft") and args:
        added = args[-1]
        if attr == "extend":
            added = content(added)
        items = (join(content(base), added),) if base.items else (added,)
        grown = base._replace(items=items, literal=None, tracer=base.tracer or holds_tracer(added))
        target = (
            dotted(node.func.value)
            if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute)
            else None
        )
        if target is not None and flow.state is not None and target in flow.state.env:
            flow.state.env[target] = grown
        return Value(Kind.NONE)
    if attr in ("items", "values", "keys", "copy"):
        item = content(base)
        if attr == "items":
            item = Value(Kind.TUPLE, items=(STATIC, item._replace(maybe=True)))
        return (
            Value(Kind.ITER, items=(STATIC if attr == "keys" else item,))
            if attr != "copy"
            else base
        )
    if attr in ("get", "pop") and base.items:
        exact = under_key(base, args[0].literal) if args else None
        return exact if exact is not None else content(base)._replace(maybe=True)
    return None


def library_method(
    flow: Flow, node: cst.CSTNode, callee: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    """Methods told apart by the class of their object: optimizers, transformed functions."""
    base, name = callee.self_[0], callee.of.rpartition(".")[2]
    traced = flow.staged or any(map(holds_tracer, (*args, *kwargs.values())))
    if base.of == "optax.GradientTransformation":
        tree = Value(Kind.TREE, traced)
        return tree if name == "init" else Value(Kind.TUPLE, items=(tree, tree), tracer=traced)
    if base.of == "haiku.Transformed":
        return Value(Kind.TREE if name == "init" else Kind.UNKNOWN, traced, name != "init")
    if base.of == "multiprocessing.Context":
        if name == "Pipe":
            return PIPE
        return instance(f"multiprocessing.{name.removeprefix('Simple')}")
    return flow.fresh(node, UNKNOWN)


def _model_method(
    flow: Flow, node: cst.CSTNode, base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs
) -> Value | None:
    """`model.init`, `model.apply` of a linen module of the project; what gives a new state."""
    assert base.cls is not None
    if flow.project.is_a(base.cls, LINEN) and name in ("init", "apply", "init_with_output"):
        return _linen(flow, node, base, name, args, kwargs)
    if name in ("replace", "_replace"):
        return base
    state = name == "apply_gradients" and flow.project.is_a(base.cls, known.TRAIN_STATE)
    return base if state else None


def _linen(
    flow: Flow, node: cst.CSTNode, base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    assert base.cls is not None
    called = flow.project.method(base.cls, "__call__")
    if called is not None:
        function = defined(called)._replace(bound=1, self_=(base,), made="method")
        passed = {
            k: v
            for k, v in kwargs.items()
            if k not in ("rngs", "mutable", "method", "capture_intermediates")
        }
        if flow.body.trace is not None:
            tell(flow, node, called, function, args[1:], passed, None)
            step = (flow.site(node), f"{base.of}.apply")
            flow.effect(("traced", called), onward(flow.body.trace, step))
    if name.startswith("init"):
        if args and args[0].kind is Kind.KEY:
            use_key(flow, node, args[0])
        return Value(Kind.TREE, flow.staged)
    mutable = kwargs.get("mutable")
    out = Value(Kind.UNKNOWN, flow.staged or any(map(holds_tracer, args)), True)
    given = flow.view.get(("return", called)) if called and "method" not in kwargs else None
    if given is not None and given.kind is Kind.ARRAY and given.of:  # probabilities
        out = Value(Kind.ARRAY, out.tracer, given.maybe, given.of)
    if mutable is not None and mutable.literal is not False:
        return Value(Kind.TUPLE, items=(out, Value(Kind.TREE, flow.staged)), tracer=flow.staged)
    return out
