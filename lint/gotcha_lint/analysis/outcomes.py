"""What a call of a project function gives back, through its transforms and for its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import libcst as cst

from gotcha_lint.analysis.closures import holding
from gotcha_lint.analysis.computing import of_this_call
from gotcha_lint.analysis.flags import tell_options, with_kept
from gotcha_lint.analysis.roles import (
    boundary,
    pairs,
    unpacks,
    with_options,
)
from gotcha_lint.analysis.summary import IS_NONE
from gotcha_lint.analysis.trees import PUT, put_again
from gotcha_lint.analysis.values import (
    UNKNOWN,
    FunctionId,
    Kind,
    Kwargs,
    Value,
    holds_tracer,
    is_tracer,
    join_all,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def outcome(
    flow: Flow, node: cst.CSTNode, function: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    value = _returned(flow, function, args, kwargs)
    if len(function.targets) == 1 and value != UNKNOWN:
        target = next(iter(function.targets))
        given = dict(pairs(flow, target, function, args, kwargs))
        made, said = value, None if unpacks(node) else with_kept(function, kwargs)
        value = holding(substitute(flow, target, made, given, said), given)
        if made.via:
            tell_options(flow, made, value)
    value = of_this_call(flow, node, function, (*args, *kwargs.values()), value)
    value = _through(function, value)
    compiled = boundary(function) is not None
    traced_here = flow.staged or any(holds_tracer(a) for a in (*args, *kwargs.values()))
    if compiled and value.kind in (Kind.UNKNOWN, Kind.STATIC, Kind.HOST):
        value = Value(
            Kind.ARRAY if is_tracer(value) else Kind.TREE if not value.tracer else Kind.UNKNOWN,
            maybe=value.maybe,
        )
    # A function made of the caller's own parameter: who calls the caller knows which one it is.
    own = value.param if value.kind is Kind.FUNCTION and len(function.targets) == 1 else ""
    value = settle(value, traced_here)._replace(param=own)
    return flow.fresh(node, value)


def _returned(flow: Flow, function: Value, args: tuple[Value, ...], kwargs: Kwargs) -> Value:
    """What its targets tell that they return to such a call."""
    targets = sorted(function.targets)
    if len(targets) == 1 and (bare := unfilled(flow, targets[0], function, args, kwargs)):
        return bare
    returns = [flow.view.get(("return", target)) for target in targets]
    return join_all(returns) if returns and None not in returns else UNKNOWN


def _through(function: Value, value: Value) -> Value:
    """The result after grad and its kin."""
    for via in function.via:
        match via.name:
            case "grad" | "value_and_grad" if not via.shaped:
                value = UNKNOWN
            case "grad":
                grads = Value(Kind.TREE)
                aux = (
                    value.items[1]
                    if value.kind is Kind.TUPLE and len(value.items) == 2
                    else UNKNOWN
                )
                value = Value(Kind.TUPLE, items=(grads, aux)) if via.has_aux else grads
            case "value_and_grad":
                aux = value.items[1:] if value.kind is Kind.TUPLE else (UNKNOWN,)
                first = Value(Kind.ARRAY)
                value = Value(
                    Kind.TUPLE,
                    items=(
                        Value(Kind.TUPLE, items=(first, *aux)) if via.has_aux else first,
                        Value(Kind.TREE),
                    ),
                )
    return value


def substitute(
    flow: Flow, target: FunctionId, value: Value, pairs: Mapping[str, Value], kwargs: Kwargs | None
) -> Value:
    """A function's result where parts of it are its own parameters, or transforms of them."""
    if value.items:
        items = tuple(substitute(flow, target, item, pairs, kwargs) for item in value.items)
        value = value._replace(items=items)
    if not value.param:
        return value
    given = pairs.get(value.param)
    if given is None:
        return value._replace(param="", ident=0)
    if value.kind is Kind.FUNCTION and (value.via or value.bound or value.bound_names):
        every = flow.view.get(("param", target, value.param)) or UNKNOWN
        return _made_of(value, given, every, kwargs)
    return put_again(given) if value.made == PUT else given


def _made_of(value: Value, given: Value, every: Value, kwargs: Kwargs | None) -> Value:
    """What a maker does to the function given here; `every`: what all its callers gave it.

    `kwargs`: the options that it hands on; None where they cannot be read.
    """
    known = len(every.via) if value.via[: len(every.via)] == every.via else 0
    return value._replace(
        via=(
            *given.via,
            *(
                with_options(v, kwargs) if v.options and kwargs is not None else v
                for v in value.via[known:]
            ),
        ),
        targets=given.targets,
        param=given.param,
        bound=given.bound + max(value.bound - every.bound, 0),
        bound_names=given.bound_names | (value.bound_names - every.bound_names),
        made=value.made,
    )


def settle(value: Value, traced_here: bool) -> Value:
    """A result as its caller sees it: under a trace, arrays are tracers and the unknown may be."""
    items = tuple(settle(item, traced_here) for item in value.items) if value.items else ()
    unknown = value.kind is Kind.UNKNOWN
    tracer = traced_here and (unknown or value.kind in (Kind.ARRAY, Kind.TREE, Kind.KEY))
    tracer = tracer or any(map(holds_tracer, items))
    return value._replace(
        items=items, tracer=tracer, maybe=value.maybe or unknown, param="", ident=0
    )


# Decorators that may be given their function later: `@timed` and `@timed(name="x")`

How = Literal["return", "unfilled"]


def returned_as(flow: Flow, value: Value) -> How:
    """What a `return` tells: to whom the function is given, or who leaves it out."""
    if value.kind is not Kind.FUNCTION or flow.state is None:
        return "return"
    first = flow.state.env.get(_first(flow, flow.id) or "")
    return "unfilled" if first is not None and first.kind is Kind.NONE else "return"


def unfilled(
    flow: Flow, target: FunctionId, function: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> Value | None:
    """What a call gets that leaves the first parameter out, where this is something else."""
    first = _first(flow, target)
    if first is None:
        return None
    given = dict(pairs(flow, target, function, args, kwargs)).get(first)
    left_out = given is None or given.kind is Kind.NONE
    return flow.view.get(("unfilled", target)) if left_out else None


def _first(flow: Flow, fid: FunctionId) -> str | None:
    """The first parameter, if it is None by default."""
    summary = flow.project.function(fid)
    own = summary.params[bool(summary.binds) :]
    return own[0][0] if own and (own[0][0] + IS_NONE, True) in summary.flags else None
