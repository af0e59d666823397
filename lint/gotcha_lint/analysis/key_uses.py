"""Random keys that are used up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.key_needs import ANYWAY, Ways, needs_here, needs_of_pieces
from gotcha_lint.analysis.looked_at import only_looked_at
from gotcha_lint.analysis.sites import KeyUse
from gotcha_lint.analysis.unread import never_read
from gotcha_lint.analysis.values import Kind, Kwargs, Value
from gotcha_lint.facts import Fact

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


_KEPT = 6  # of the uses of one key, with the first
MAY_BE_KEYS = frozenset({Kind.KEY, Kind.UNKNOWN, Kind.ARRAY})  # `key: jax.Array` is one too


def consume(
    flow: Flow,
    node: cst.CSTNode,
    fact: Fact,
    args: tuple[Value, ...],
    kwargs: Kwargs,
    name: str,
) -> None:
    """A key is drawn from, or split: its second use gives the same numbers again."""
    assert fact.key is not None
    value = kwargs.get("key") or (args[fact.key] if 0 <= fact.key < len(args) else None)
    if value is not None:
        use_key(flow, node, value, splits=name == "jax.random.split")


def use_key(
    flow: Flow, node: cst.CSTNode, value: Value, *, splits: bool = False, ways: Ways = ANYWAY
) -> None:
    """`ways`: what a function needs that is given the key, to come to a use of it."""
    if value.kind not in MAY_BE_KEYS or flow.state is None:
        return
    if not value.ident:
        if value.kind is not Kind.UNKNOWN and _runs_many_times(flow):
            flow.record(KeyUse, node, (node,), value)  # maybe of the function around: each turn's
        return
    if value.param:
        needs = needs_here(flow)
        if splits and not needs:
            needs = needs_of_pieces(flow, flow.at.statement)
        flow.effect(("consumes", flow.id, value.param), frozenset(needs | each for each in ways))
    before = flow.state.used.get(value.ident, ())
    if not before or _in_vain(flow, before[0]):
        if before:
            flow.record(KeyUse, node, before, value, ways, True)
        flow.state.used[value.ident] = (node,)
        return
    flow.record(KeyUse, node, before, value, ways)
    if node not in before:
        flow.state.used[value.ident] = (before[0], *before[1:][2 - _KEPT :], node)


def _in_vain(flow: Flow, first: cst.CSTNode) -> bool:
    """Nobody computes with what was drawn there: no harm in the same numbers again."""
    call = flow.body.call_of(first)
    return call is not None and (
        never_read(flow.body, call) or only_looked_at(flow.body, call, flow.at.statement)
    )


def _runs_many_times(flow: Flow) -> bool:
    """The body of a `lax.scan`, `fori_loop` or `while_loop`."""
    trace = flow.body.trace
    if trace is None or not trace.direct or trace.soft or not trace.chain:
        return False
    return trace.chain[-1][1].partition(" of ")[0] in ("scan", "fori", "while")
