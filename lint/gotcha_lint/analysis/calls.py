"""What a call gives back, and what it tells the functions that it reaches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis import known, results, transforms, varying
from gotcha_lint.analysis.sites import Call, KeyUse
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.analysis.values import (
    STATIC,
    UNKNOWN,
    Kind,
    Value,
    content,
    holds_tracer,
    instance,
    join,
    under_key,
)
from gotcha_lint.facts import Fact

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

Kwargs = Mapping[str, Value]

# Methods that are told apart by the class of their object.
METHODS_OF: dict[str, frozenset[str]] = {
    "optax.GradientTransformation": frozenset({"init", "update"}),
    "jax.Ref": frozenset({"get", "set"}),
    "haiku.Transformed": frozenset({"init", "apply"}),
    "flax.nnx.Optimizer": frozenset({"update"}),
    "orbax.checkpoint.StandardCheckpointer": frozenset(
        {"save", "restore", "wait_until_finished", "close"}
    ),
    "orbax.checkpoint.AsyncCheckpointer": frozenset(
        {"save", "restore", "wait_until_finished", "close"}
    ),
    "orbax.checkpoint.PyTreeCheckpointer": frozenset({"save", "restore"}),
    "orbax.checkpoint.CheckpointManager": frozenset(
        {"save", "restore", "wait_until_finished", "close"}
    ),
    "multiprocessing.Queue": frozenset({"put", "put_nowait"}),
    "multiprocessing.Connection": frozenset({"send"}),
    "multiprocessing.Pool": frozenset(
        ["map", "imap", "imap_unordered", "starmap", "apply", "apply_async", "map_async"]
    ),
    "multiprocessing.Context": frozenset({"Queue", "Pool", "Process", "Pipe", "SimpleQueue"}),
    "concurrent.futures.ProcessPoolExecutor": frozenset({"submit", "map"}),
}


def on_call(flow: Flow, node: cst.Call) -> Value:
    callee, base, name = _callee(flow, node.func)
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


def _callee(flow: Flow, func: cst.BaseExpression) -> tuple[Value, Value | None, str]:
    """The function that is called, its object for a method, and the name to know it by."""
    if not isinstance(func, cst.Attribute):
        callee = flow.eval(func)
        return callee, None, callee.of if callee.kind is Kind.NAMED else ""
    attr = func.attr.value
    if flow.owners and flow.state is not None and dotted(func) in flow.state.env:
        return flow.eval(func), None, ""
    base = flow.eval(func.value)
    callee = flow.attribute(base, attr)
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


def decorate(flow: Flow, decorator: cst.Decorator, function: Value) -> Value:
    """The value of a function after one decorator; recorded as a call of the decorator with it."""
    node = decorator.decorator
    callee, base, name = (
        _callee(flow, node) if not isinstance(node, cst.Call) else (flow.eval(node), None, "")
    )
    if callee.kind is Kind.NAMED:
        name = callee.of
    if name in ("builtins.property", "functools.cached_property"):
        return function._replace(literal="property")
    if name in _TRANSPARENT:
        return function
    result = apply(flow, node, callee, (function,), {}, base, name, False)
    call = flow.model.call_of(decorator)
    flow.record(Call, call, name, callee, (function,), {}, result, base=base, decorator=True)
    return result if result.kind is not Kind.UNKNOWN else function._replace(maybe=True)


_TRANSPARENT = frozenset(
    [
        "builtins.staticmethod",
        "builtins.classmethod",
        "abc.abstractmethod",
        "typing.overload",
        "flax.linen.compact",
        "flax.linen.nowrap",
        "typing.override",
        "typing.final",
        "functools.singledispatch",
        "contextlib.contextmanager",
        "chex.assert_max_traces",
    ]
)


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
        case Kind.FUNCTION:
            return transforms.apply_function(flow, node, callee, args, kwargs, starred)
        case Kind.CLASS:
            return _construct(flow, node, callee, args, kwargs)
        case Kind.OBJECT if callee.cls is not None:
            method = flow.project.method(callee.cls, "__call__")
            if method is not None:
                bound = flow.of_function(method)._replace(bound=1, self_=(callee,), made="method")
                return transforms.apply_function(flow, node, bound, args, kwargs, starred)
        case Kind.OBJECT if callee.of == "flax.nnx.Rngs":
            return flow.fresh(node, Value(Kind.KEY, flow.staged))
        case Kind.OBJECT if callee.of == "optax.GradientTransformation":
            return callee  # optax.inject_hyperparams(optax.adam)(1e-3)
        case Kind.OBJECT if callee.of == "flax.module":
            return Value(Kind.ARRAY, flow.staged or any(map(holds_tracer, args)), False)
    if base is not None:
        special = _method(flow, node, base, name, args, kwargs)
        if special is not None:
            return special
    _hand_over(flow, node, args, kwargs)
    return flow.fresh(node, _unknown_result(flow, args, kwargs))


def _unknown_result(flow: Flow, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    traced = any(map(holds_tracer, (*args, *kwargs.values())))
    return Value(tracer=traced, maybe=True, varying=varying.of_stranger("", kwargs))


def _method(
    flow: Flow, node: cst.CSTNode, base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs
) -> Value | None:
    """Methods of containers, arrays and model objects."""
    attr = name.rpartition(".")[2]
    if base.kind is Kind.CLASS and base.cls is not None and attr == "create":
        made = flow.project.is_a(base.cls, "flax.training.train_state.TrainState")
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
        return results.module_method(flow, node, base, attr, args, kwargs)
    if base.kind is Kind.FUNCTION and attr in transforms.CUSTOM_RULES:
        return transforms.custom_rules(flow, node, args, kwargs)
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


def _apply_named(
    flow: Flow, node: cst.CSTNode, callee: Value, args: tuple[Value, ...], kwargs: Kwargs, name: str
) -> Value:
    if name in ("jax.tree_util.Partial", "functools.partial"):
        return transforms.partial(flow, node, args, kwargs)
    if callee.self_:
        return results.of_method(flow, node, callee, args, kwargs)
    fact = flow.facts.get(name)
    if fact.transform is not None:
        return transforms.transform(flow, node, callee, fact, args, kwargs)
    if fact.key is not None:
        consume(flow, node, fact, args, kwargs)
    if fact.host is not None:
        _declare_host(flow, args, fact.host)
    elif fact.calls is not None:
        return _calls_function(flow, node, fact, args, kwargs)
    else:
        _hand_over(flow, node, args, kwargs)
    return results.of_fact(flow, node, name, fact, args, kwargs)


def consume(
    flow: Flow, node: cst.CSTNode, fact: Fact, args: tuple[Value, ...], kwargs: Kwargs
) -> None:
    """A key is drawn from, or split: its second use gives the same numbers again."""
    assert fact.key is not None
    value = kwargs.get("key") or (args[fact.key] if fact.key < len(args) else None)
    if value is not None:
        use_key(flow, node, value)


def use_key(flow: Flow, node: cst.CSTNode, value: Value) -> None:
    if value.kind not in (Kind.KEY, Kind.UNKNOWN) or not value.ident or flow.state is None:
        return
    if value.param:
        flow.effect(("consumes", flow.id, value.param), True)
    first = flow.state.used.get(value.ident)
    if first is not None:
        flow.record(KeyUse, node, first, first is node)
    else:
        flow.state.used[value.ident] = node


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
        transforms.apply_function(flow, node, function, given, {}, False)
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


def _hand_over(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...], kwargs: Kwargs) -> None:
    """Functions given to a stranger may be called by it, in the context of this place."""
    trace = flow.body.trace
    for value in (*args, *kwargs.values()):
        if value.kind is not Kind.FUNCTION or value.via:
            continue
        for target in value.targets:
            if trace is not None and trace.staged:
                step = (flow.site(node), flow.project.function(target).name)
                flow.effect(
                    ("traced", target),
                    trace._replace(
                        chain=(*trace.chain, step),
                        soft=True,
                        direct=False,
                        static=frozenset(),
                        wrt=None,
                    ),
                )


def _construct(
    flow: Flow, node: cst.CSTNode, callee: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    """An instance of a project's class; its fields learn what they are given."""
    assert callee.cls is not None
    project, cid = flow.project, callee.cls
    method = project.method(cid, "__init__")
    if method is not None:
        bound = flow.of_function(method)._replace(bound=1)
        transforms.tell(flow, node, method, bound, args, kwargs, None)
    else:
        fields = [f for c in reversed(project.ancestors(cid)[0]) for f in project.cls(c).fields]
        for field, value in (*zip(fields, args, strict=False), *kwargs.items()):
            flow.effect(
                ("attr", cid, field), value._replace(param="", ident=0, tracer=False, maybe=True)
            )
    every = (*args, *kwargs.values())
    mark = next((mark for mark in map(varying.held, every) if mark), "")
    return instance(callee.of, cls=cid, tracer=any(map(holds_tracer, every)), varying=mark)


def inside(outer: cst.CSTNode, node: cst.CSTNode) -> bool:
    return any(part is node for part in walk(outer))
