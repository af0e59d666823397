"""Decorators that may be given their function later: `@timed` and `@timed(name="x")`.

    if fun is None:
        return functools.partial(timed, name=name)

Only a call that leaves the function out gets what is returned there. Taken together with what the
others get, each decorated function would seem to call the decorator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gotcha_lint.analysis.roles import pairs
from gotcha_lint.analysis.summary import IS_NONE
from gotcha_lint.analysis.values import FunctionId, Kind, Kwargs, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

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
