"""Gradients of replicated parameters inside of shard_map, which are summed already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.sites import Body, Trace
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import GRADIENTS, Kwargs, Via
from gotcha_lint.facts import Transform

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

UNCHECKED = "unchecked"  # a role: replication is not followed, or nobody can tell
VARYING = "varying"  # a role: parameters were made to differ from device to device on the way
_CASTS = frozenset({"jax.lax.pcast", "jax.lax.pvary"})
_CHECKS = ("check_vma", "check_rep")


def may_be_unchecked(node: cst.CSTNode, row: Transform, kwargs: Kwargs) -> bool:
    """`check_vma=False`, or arguments that cannot be read."""
    if row.role != "shard_map":
        return False
    stars = isinstance(node, cst.Call) and any(arg.star for arg in node.args)
    return stars or any(kwargs[name].literal is not True for name in _CHECKS if name in kwargs)


def roles(*vias: Via) -> frozenset[str]:
    return frozenset({UNCHECKED}) if any(via.unchecked for via in vias) else frozenset()


def varied(trace: Trace, body: Body) -> Trace:
    """The trace as those see it that are called after a cast."""
    if "shard_map" not in trace.roles or not casts(body):
        return trace
    return trace._replace(roles=trace.roles | {VARYING})


def casts(body: Body) -> bool:
    return any(call.name in _CASTS for call in body.calls.values())


def summed(body: Body) -> bool:
    """Gradients that are taken here come out summed over devices."""
    trace = body.trace
    if trace is None or trace.soft or "shard_map" not in trace.roles:
        return False
    return trace.roles.isdisjoint({"pmap", UNCHECKED, VARYING}) and not casts(body)


def of_gradients(flow: Flow, node: cst.CSTNode) -> str:
    """The mark of the gradients that a call gives here."""
    if not summed(flow.body) or not isinstance(node, cst.Call) or not node.args:
        return ""
    return "" if made_here(flow.body, node.args[0].value) else GRADIENTS


def made_here(body: Body, node: cst.CSTNode) -> bool:
    """A value that this function made, and was not given."""
    names = {n.value for n in walk(node) if isinstance(n, cst.Name)}
    return not names & ({p.name for p in body.function.params} | set(body.function.captured))
