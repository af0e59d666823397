"""Functions that become traced: transforms, partials, custom rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.closures import tell_held
from gotcha_lint.analysis.filling import still_free
from gotcha_lint.analysis.flags import kept, tell_defaults, tell_flags
from gotcha_lint.analysis.outcomes import settle
from gotcha_lint.analysis.propagation import tell, traced
from gotcha_lint.analysis.roles import (
    GRADS,
    boundary,
    functions_of,
    left_out,
    static_names,
    unpacks,
    via_of,
)
from gotcha_lint.analysis.sites import Trace
from gotcha_lint.analysis.values import (
    TRACER,
    UNKNOWN,
    FunctionId,
    Kind,
    Kwargs,
    Value,
    Via,
    anonymous,
    defined,
    holds_tracer,
)
from gotcha_lint.facts import Fact, Transform

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_ANYTHING = "**"  # stands for what `partial(f, **settings)` binds
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
    here = (via.name, via.site)
    made_here = next((v for v in function.via if (v.name, v.site) == here), None)
    via = made_here or _as_bound(via, function)._replace(bound=function.bound)
    for target in function.targets:
        _trace(flow, node, target, function, row, via)
    if made_here:  # `self.step = jax.jit(self.step)`: it is what this very place has made
        return function
    if function.kind not in (Kind.FUNCTION, Kind.UNKNOWN, Kind.NAMED):
        if function.kind is Kind.OBJECT and function.cls is not None:
            method = flow.project.method(function.cls, "__call__")
            if method is not None:
                bound = defined(method)._replace(bound=1, self_=(function,))
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


def _as_bound(via: Via, function: Value) -> Via:
    """Of `partial(f, **settings)` it is not known which parameters are left."""
    return via._replace(known=via.known and _ANYTHING not in function.bound_names)


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
    tell_held(flow, target, function)
    outer = flow.body.trace
    if outer is not None:
        flow.effect(("within", target), frozenset({flow.id}))
        if target in outer.past or target == flow.id:
            outer = None  # recursion: it is what this very transform would say on the host
    summary = flow.project.function(target)
    static = static_names(flow, target, function, via)
    bound = {p[0] for p in summary.params} - {
        p[0] for p in still_free(flow.project, target, function)
    }
    if len(function.targets) > 1 and summary.binds == "self" and not summary.decorated:
        bound |= {p[0] for p in summary.params[:1]}  # `compiled(self.step)` beside other functions
    wrt = None
    if row.role in GRADS:
        given = [p for p in still_free(flow.project, target, function) if p[1] == "positional"]
        wrt = frozenset(given[n][0] for n in via.wrt if -len(given) <= n < len(given))
    if via.unmapped and not boundary(function):
        wrt = frozenset(p[0] for p in summary.params) - left_out(flow, target, function, via)
    outer_roles = outer.roles if outer else frozenset()
    for earlier in function.via:
        static |= static_names(flow, target, function, earlier)
    tell_defaults(flow, target, function, static, row.role, via.known)
    flow.effect(
        ("traced", target),
        Trace(
            roles=outer_roles | {row.role} | {v.name for v in function.via},
            staged=row.staged
            or boundary(function) is not None
            or (outer is not None and outer.staged),
            chain=(
                *(outer.chain if outer else ()),
                (flow.site(node), f"{row.role} of {summary.name}"),
            ),
            soft=row.role == "module" or (outer is not None and outer.soft and not row.staged),
            direct=True,
            static=static | bound,
            wrt=wrt,
            known=via.known,
            filtered=via.filtered,
            past=outer.past | {flow.id} if outer else frozenset(),
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
        own = _as_bound(via, function)
        for target in function.targets:
            _trace(flow, node, target, function, row, own)
            tell(flow, node, target, function, tuple(map(traced, carry)), {}, own)
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
    return value._replace(tracer=inside and not fixed)


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
        tell(flow, node, target, function, rest, kwargs, None, binds=True)
        tell_flags(flow, node, target, function, rest, kwargs, binds=True)
    return function._replace(
        bound=function.bound + len(rest),
        bound_names=function.bound_names | set(kwargs) | ({_ANYTHING} if unpacks(node) else set()),
        made="partial",
        site=flow.site(node),
        literal=kept(kwargs),
    )
