"""What methods give back: of containers, arrays, models, optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis import known
from gotcha_lint.analysis.propagation import tell, tell_traced
from gotcha_lint.analysis.results import LINEN, made_of
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.transforms import CUSTOM_RULES, custom_rules
from gotcha_lint.analysis.trees import note_created
from gotcha_lint.analysis.values import (
    FRESH,
    HOST,
    STATIC,
    UNKNOWN,
    ClassId,
    Kind,
    Kwargs,
    Value,
    content,
    defined,
    holds_tracer,
    join,
    static,
    under_key,
)
from gotcha_lint.facts.draws import ARRAYS, GENERATORS, SIZE_AT, WHOLE
from gotcha_lint.facts.optax import STATELESS

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

MODES = frozenset({"train", "eval", "set_attributes"})  # methods of nnx modules
ANY_CLASS: ClassId = ("", -1)  # of an object that is not known


def method(
    flow: Flow, node: cst.CSTNode, base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs
) -> Value | None:
    """Methods of containers, arrays and model objects."""
    attr = name.rpartition(".")[2]
    if base.kind is Kind.CLASS and base.cls is not None and attr == "create":
        made = flow.project.is_a(base.cls, known.TRAIN_STATE)
        if made and "tx" in kwargs:
            flow.effect(("attr", base.cls, "tx"), kwargs["tx"]._replace(param=""))
        if made:
            note_created(flow, node, base.cls, kwargs)
        return made_of(base, args, kwargs) if made else None
    if base.kind is Kind.LIST:
        return _container_method(flow, node, base, attr, args)
    if (
        base.kind is Kind.OBJECT
        and base.of in known.STATE_OBJECTS
        and attr in ("replace", "apply_gradients")
    ):
        return base
    if attr in MODES and base.cls is None:
        _note_mode(flow, ANY_CLASS, attr)
    if base.kind is Kind.OBJECT and base.cls is not None:
        return _model_method(flow, node, base, attr, args, kwargs)
    if base.kind is Kind.FUNCTION and attr in CUSTOM_RULES:
        return custom_rules(flow, node, args, kwargs)
    if base.of in GENERATORS:
        return drawn(attr, args, kwargs)
    if base.of == "flax.nnx.Rngs" and not args and attr not in ("fork", "split"):
        return flow.fresh(node, Value(Kind.KEY, flow.staged))  # rngs.dropout()
    return known.method_result(base, attr)


def _note_mode(flow: Flow, cls: ClassId, name: str) -> None:
    """`model.train()` and `model.eval()` of nnx assign attributes."""
    flow.effect(("stored", cls, f"{name}()"), frozenset({flow.function.name}))


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
        return of_optax(flow, base, name, args, kwargs, traced)
    if base.of == "flax.nnx.Optimizer":
        note_update(flow, base)
    if base.of == "haiku.Transformed":
        return Value(Kind.TREE if name == "init" else Kind.UNKNOWN, traced, name != "init")
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
    if name in MODES:
        _note_mode(flow, base.cls, name)
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
            tell_traced(flow, called, flow.body.trace, step)
    if name.startswith("init"):
        return Value(Kind.TREE, flow.staged)
    return _output(flow, node, args, kwargs)


def _output(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    mutable = kwargs.get("mutable")
    out = Value(Kind.UNKNOWN, flow.staged or any(map(holds_tracer, args)), True)
    if mutable is not None and mutable.literal is not False:
        return output_and_state(out, flow.staged)
    return out


def is_pair(node: cst.CSTNode, mutable: Value) -> bool:
    """`apply(..., mutable=[...])` of a linen module, or a function that is called like it."""
    func = node.func if isinstance(node, cst.Call) else None
    name = func.attr if isinstance(func, cst.Attribute) else func
    if not isinstance(name, cst.Name) or name.value not in ("apply", "apply_fn") or mutable.maybe:
        return False
    return mutable.kind in (Kind.LIST, Kind.TUPLE) or isinstance(mutable.literal, str | tuple)


def output_and_state(out: Value, traced: bool) -> Value:
    """What `apply` gives where collections are mutable."""
    items = (out, Value(Kind.TREE, traced))
    return Value(Kind.TUPLE, items=items, tracer=traced)


# What the generators of numpy draw: an array of a size, or one number


def drawn(name: str, args: tuple[Value, ...], kwargs: Kwargs) -> Value | None:
    """The result of a method of a generator; None where it is not known."""
    if name in ARRAYS:
        return HOST if args else None
    place = SIZE_AT.get(name)
    if place is None:
        return None
    size = kwargs.get("size", args[place] if place < len(args) else None)
    if size is not None:
        if size.kind in (Kind.STATIC, Kind.TUPLE, Kind.LIST):
            return HOST
        return HOST._replace(maybe=True)
    if name == "choice" or any(value.kind is not Kind.STATIC for value in args):
        return None
    return static("int") if name in WHOLE else static("float")


# What `init` and `update` of an optimizer give, and which functions make one update


def of_optax(
    flow: Flow, base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs, traced: bool
) -> Value:
    tree = Value(Kind.TREE, traced)
    if name == "init":
        return tree if is_stateless(base) else tree._replace(of=FRESH)
    note_update(flow, kwargs.get("state") or (args[1] if len(args) > 1 else None))
    return Value(Kind.TUPLE, items=(tree, tree), tracer=traced)


def is_stateless(optimizer: Value) -> bool:
    """Plain gradient descent has nothing to lose, unless it is given momentum or a schedule."""
    return isinstance(optimizer.literal, frozenset) and optimizer.literal <= STATELESS


def note_update(flow: Flow, state: Value | None) -> None:
    """Tells that this function makes one update with a state that it is given."""
    if state is not None and state.param and not flow.loops:
        flow.effect(("updated", flow.id, state.param), True)
