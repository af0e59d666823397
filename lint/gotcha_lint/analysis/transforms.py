"""Functions that become traced: transforms, partials, calls of transformed functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.outcomes import outcome, settle
from gotcha_lint.analysis.roles import (
    BOUNDARIES,
    GRADS,
    donated,
    functions_of,
    left_out,
    pairs,
    parameters,
    static_names,
    via_of,
)
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.values import (
    TRACED,
    TRACER,
    UNKNOWN,
    FunctionId,
    Kind,
    Value,
    Via,
    anonymous,
    holds_tracer,
)
from gotcha_lint.facts import Fact, Transform

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

Kwargs = Mapping[str, Value]
CUSTOM_RULES = frozenset({"defvjp", "defjvp", "defjvps", "def_vmap"})


def transform(
    flow: Flow,
    node: cst.CSTNode,
    callee: Value,
    fact: Fact,
    args: tuple[Value, ...],
    kwargs: Kwargs,
) -> Value:
    """A call of `jax.jit`, `jax.grad`, `lax.scan` and their kin."""
    row = fact.transform
    assert row is not None
    args = (*callee.items, *args)  # `@partial(lax.fori_loop, 0, 10, init_val=x)`
    via = via_of(flow, node, callee, row, args, kwargs)
    functions = list(functions_of(row, args, kwargs))
    if not functions and row.gives == "function":
        return callee._replace(
            via=(via,), self_=()
        )  # `jax.jit(static_argnums=0)`: still to be given one
    if row.gives == "result":
        return _run_now(flow, node, row, via, functions, args)
    function = functions[0]
    if row.role == "inline":  # it names the function, no more
        return function
    via = via._replace(bound=function.bound)
    for target in function.targets:
        _trace(flow, node, target, function, row, via)
    if function.kind not in (Kind.FUNCTION, Kind.UNKNOWN, Kind.NAMED):
        if function.kind is Kind.OBJECT and function.cls is not None:
            method = flow.project.method(function.cls, "__call__")
            if method is not None:
                bound = flow.of_function(method)._replace(bound=1, self_=(function,))
                _trace(flow, node, method, bound, row, via)
                return bound._replace(via=(via,))
        if function.kind is Kind.CLASS:  # nn.remat(Block): a class like it
            return function
    return function._replace(
        kind=Kind.FUNCTION,
        via=(*function.via, via),
        site=flow.site(node),
        made=function.made if function.made in ("lambda", "partial", "method") else "transform",
        of=function.of,
        ident=0,
    )


def custom_rules(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """`f.defvjp(forward, backward)`; also as a decorator."""
    row = Transform("custom", staged=False)
    via = Via("custom", flow.site(node), known=False)
    for function in (*args, *kwargs.values()):
        for target in function.targets:
            _trace(flow, node, target, function, row, via)
    return args[0] if args else UNKNOWN


def _trace(
    flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value, row: Transform, via: Via
) -> None:
    """Tells a function that it is traced."""
    outer = flow.body.trace
    summary = flow.project.function(target)
    static = static_names(flow, target, function, via)
    bound = {p[0] for p in summary.params} - {p[0] for p in parameters(flow, target, function)}
    wrt = None
    if row.role in GRADS:
        given = [p for p in parameters(flow, target, function) if p[1] == "positional"]
        wrt = frozenset(given[n][0] for n in via.wrt if -len(given) <= n < len(given))
    if via.unmapped and not any(v.name in BOUNDARIES for v in function.via):
        wrt = frozenset(p[0] for p in summary.params) - left_out(flow, target, function, via)
    outer_roles = outer.roles if outer else frozenset()
    for earlier in function.via:
        static |= static_names(flow, target, function, earlier)
    flow.effect(
        ("traced", target),
        Trace(
            roles=outer_roles | {row.role} | {v.name for v in function.via},
            staged=row.staged
            or any(v.name in BOUNDARIES for v in function.via)
            or (outer is not None and outer.staged),
            chain=(
                *(outer.chain if outer else ()),
                (flow.site(node), f"{row.role} of {summary.name}"),
            ),
            soft=outer.soft if outer and not row.staged else False,
            direct=True,
            static=static | bound,
            wrt=wrt,
            known=via.known,
        ),
    )


def _run_now(
    flow: Flow,
    node: cst.CSTNode,
    row: Transform,
    via: Via,
    functions: list[Value],
    args: tuple[Value, ...],
) -> Value:
    """`lax.scan` and its kin: the body runs at once, on tracers."""
    carry = _operands(row.role, args)
    for function in functions:
        for target in function.targets:
            _trace(flow, node, target, function, row, via)
            tell(flow, node, target, function, tuple(map(traced, carry)), {}, via)
    inside = flow.staged or any(holds_tracer(a) for a in args)
    unknown = Value(tracer=inside, maybe=True)
    match row.role:
        case "scan" if carry:
            return Value(Kind.TUPLE, inside, items=(_carried(carry[0], inside), unknown))
        case "fori" | "while" if carry:
            return _carried(carry[-1], inside)
    return unknown


def _carried(carry: Value, inside: bool) -> Value:
    """What a loop gives back is built like what it was given."""
    value = settle(anonymous(traced(carry)), inside)
    fixed = value.kind in (Kind.NONE, Kind.STATIC)
    return value._replace(tracer=inside and not fixed, varying="")


def _operands(role: str, args: tuple[Value, ...]) -> tuple[Value, ...]:
    match role:
        case "scan" | "map":
            return args[1:3]
        case "fori" if len(args) > 3:
            return TRACER, args[3]
        case "while" if len(args) > 2:
            return (args[2],)
        case "cond":
            return args[3:]
        case "switch":
            return args[2:]
    return ()


def traced(value: Value) -> Value:
    """What a traced function sees of an argument."""
    match value.kind:
        case Kind.ARRAY | Kind.HOST:
            return TRACER
        case Kind.STATIC if value.of in ("int", "float", "bool"):
            return TRACER
        case Kind.KEY | Kind.TREE | Kind.OBJECT:
            return value._replace(tracer=True, maybe=False, param="", literal=None)
        case Kind.LIST if value.of == "host-tree":
            return Value(Kind.TREE, tracer=True)
        case Kind.TUPLE | Kind.LIST:
            return value._replace(items=tuple(map(traced, value.items)), tracer=True, param="")
        case Kind.UNKNOWN:
            return TRACED
    return value._replace(param="")


def partial(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """`functools.partial(f, ...)`: f with some of its parameters filled."""
    if not args:
        return UNKNOWN
    function, rest = args[0], args[1:]
    if function.kind is Kind.NAMED:
        fact = flow.facts.get(function.of)
        if fact.transform is not None:
            via = via_of(flow, node, function, fact.transform, rest, kwargs)
            return function._replace(via=(via,), items=rest)
        return Value(Kind.FUNCTION, of=function.of, made="partial", site=flow.site(node))
    if function.kind is not Kind.FUNCTION:
        return Value(
            Kind.FUNCTION,
            bound=len(rest),
            bound_names=frozenset(kwargs),
            made="partial",
            site=flow.site(node),
            param=function.param,
        )
    for target in function.targets:
        tell(flow, node, target, function, rest, kwargs, None)
    return function._replace(
        bound=function.bound + len(rest),
        bound_names=function.bound_names | set(kwargs),
        made="partial",
        site=flow.site(node),
    )


def apply_function(
    flow: Flow,
    node: cst.CSTNode,
    function: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    starred: bool,
) -> Value:
    """A call of a function of the project, transformed or not."""
    via = next((v for v in reversed(function.via) if v.name in BOUNDARIES), None)
    for target in function.targets:
        if starred and not args and not kwargs:
            _propagate(flow, node, target, function)
            continue
        tell(flow, node, target, function, args, kwargs, via)
        _propagate(flow, node, target, function)
        _use_keys(flow, node, target, function, args, kwargs)
    if via is not None:
        _donate(flow, node, function, via)
    if (
        function.self_ and flow.state is not None and "self" in flow.owners
    ):  # a method may change any attribute
        for name in [n for n in flow.state.env if n.startswith("self.")]:
            del flow.state.env[name]
            if via is None:
                flow.state.rebind(name)
    return outcome(flow, node, function, args, kwargs)


def _use_keys(
    flow: Flow,
    node: cst.CSTNode,
    target: FunctionId,
    function: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
) -> None:
    from gotcha_lint.analysis.calls import use_key

    for name, value in pairs(flow, target, function, args, kwargs):
        if value.kind in (Kind.KEY, Kind.UNKNOWN) and flow.view.get(("consumes", target, name)):
            use_key(flow, node, value)


def tell(
    flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value,
    args: tuple[Value, ...], kwargs: Kwargs, via: Via | None,
) -> None:  # fmt: skip
    """Tells a function what its parameters are given here."""
    through = {*function.via, *([via] if via else ())}
    static = frozenset().union(*(static_names(flow, target, function, v) for v in through))
    transformed = bool(function.via) or via is not None
    if function.via and {v.name for v in function.via} == {"vmap"}:
        maps = [left_out(flow, target, function, v) for v in function.via]
        static |= frozenset.intersection(*maps)
    for name, value in pairs(flow, target, function, args, kwargs):
        if value.kind is Kind.UNKNOWN and not value.tracer and not value.varying:
            continue
        plain = value
        if value.param or value.ident or value.site:
            plain = value._replace(param="", ident=0, site=None)
        if plain.varying not in ("", "own-maximum"):
            plain = plain._replace(varying="")  # the loop is the caller's
        if isinstance(plain.literal, int | float):
            plain = plain._replace(literal=None)  # another caller has another number
        if transformed:
            as_is = name in static or (plain.kind is Kind.STATIC and not _stages(function, via))
            flow.effect(("tparam", target, name), plain if as_is else traced(plain))
        elif flow.body.trace is not None:
            flow.effect(("tparam", target, name), plain)
        else:
            flow.effect(("param", target, name), plain)
            if function.made == "partial" or not args:
                flow.effect(("tparam", target, name), plain)


def _stages(function: Value, via: Via | None) -> bool:
    """A number that it is given becomes a tracer; grad and vmap leave those not mapped."""
    roles = {v.name for v in function.via} | ({via.name} if via else set())
    return bool(roles - {"grad", "value_and_grad", "vmap", "custom", "jvp", "inline", "checkpoint"})


def _propagate(flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value) -> None:
    """A function called from a traced one is traced; one called in a loop is hot."""
    trace = flow.body.trace
    name = flow.project.function(target).name
    if trace is not None:
        if target != flow.id and len(trace.chain) < 12:
            step = (flow.site(node), name)
            flow.effect(
                ("traced", target),
                trace._replace(
                    chain=(*trace.chain, step),
                    soft=trace.soft or _overrides(flow, target, function),
                    direct=False,
                    static=frozenset(),
                    wrt=None,
                    known=True,
                ),
            )
        return
    looped = any(not loop.short for loop in flow.loops)
    call = (flow.id, flow.site(node), looped, bool(function.via))
    flow.effect(("called", target), frozenset({call}))


def _overrides(flow: Flow, target: FunctionId, function: Value) -> bool:
    """A method of a class below that of the object: this call may never reach it."""
    cls = function.self_[0].cls if function.self_ else None
    own = flow.project.function(target).cls
    if cls is None or own is None or len(function.targets) == 1:
        return False
    return (target[0], own) not in flow.project.ancestors(cls)[0]


def _donate(flow: Flow, node: cst.CSTNode, function: Value, via: Via) -> None:
    """Marks the names whose buffers this call gives away."""
    if not isinstance(node, cst.Call) or flow.state is None:
        return
    for name, _ in donated(flow.project, node, function, via):
        flow.state.donate(name, node)
