"""Names that hold the result of a call, and readings of a clock."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.queries.small import small_statements


def _names(node: cst.CSTNode) -> frozenset[str]:
    return frozenset(n.value for n in walk(node) if isinstance(n, cst.Name))


def targets_of(body: Body, call: Call) -> frozenset[str]:
    """The names that the result of a call is bound to."""
    return frozenset(
        name
        for small in small_statements(call.at)
        if isinstance(small, cst.Assign) and small.value is call.node
        for target in small.targets
        for name in _names(target.target)
    )


def is_clock(body: Body, node: cst.CSTNode | None) -> bool:
    call = body.call_of(node)
    return (
        call is not None and body.fact(call).effect == "time" and body.fact(call).returns != "none"
    )
