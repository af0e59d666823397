"""Keys, and probabilities, that a call gives to a function of the project which uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.filling import still_free
from gotcha_lint.analysis.key_needs import ALWAYS, ANYWAY, Need, Ways, equals, needs_there
from gotcha_lint.analysis.key_uses import MAY_BE_KEYS, use_key
from gotcha_lint.analysis.logit_uses import use_in_log, use_logits
from gotcha_lint.analysis.roles import pairs
from gotcha_lint.analysis.values import FunctionId, Kind, Kwargs, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def use_keys(
    flow: Flow,
    node: cst.CSTNode,
    target: FunctionId,
    function: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    used: set[int],
) -> None:
    """What the parameters of a function do with its arguments is done here."""
    for name, value in pairs(flow, target, function, args, kwargs):
        may_be_key = value.kind in MAY_BE_KEYS
        if may_be_key and (ways := _ways(flow, node, target, name, function, args, kwargs)):
            if value.ident not in used or len(function.targets) == 1:
                use_key(flow, node, value, ways=ways)  # one of several functions is called
            used.add(value.ident)
        elif value.kind is Kind.ARRAY and (value.of or value.param):
            use_logits(flow, node, value, flow.view.get(("logits", target, name)))
            if flow.view.get(("logged", target, name)):
                use_in_log(flow, node, value)


def _ways(
    flow: Flow, node: cst.CSTNode, target: FunctionId, name: str, function: Value,
    args: tuple[Value, ...], kwargs: Kwargs,
) -> Ways:  # fmt: skip
    """What it takes for a call with these arguments to use the key that this parameter is."""
    ways: Ways | None = flow.view.get(("consumes", target, name))
    if not ways:
        return frozenset()
    if ALWAYS in ways or (isinstance(node, cst.Call) and any(arg.star for arg in node.args)):
        return ANYWAY
    given = dict(pairs(flow, target, function, args, kwargs))
    left = {param[0] for param in still_free(flow.project, target, function)}
    possible = frozenset(
        needs
        for needs in ways
        if all(need.owner != target or _may_hold(need, given, left) for need in needs)
    )
    return needs_there(flow, possible, target, given)


def _may_hold(need: Need, given: dict[str, Value], left: set[str]) -> bool:
    value = given.get(need.param)
    if value is None:
        return need.by_default or need.param not in left
    if value.kind is Kind.NONE and not value.maybe:
        return equals(None, need.constant) is need.holds
    if value.kind is Kind.STATIC and value.literal is not None:
        return equals(value.literal, need.constant) is need.holds
    return True
