"""Regions of time: from one reading of a clock to the next."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Operate, Place
from gotcha_lint.queries.reads import is_clock


def region(
    body: Body, place: Operate, clocks: dict[str, list[Bind]]
) -> tuple[Bind | None, Place | None]:
    """Where the clocks were read whose difference this is."""
    match place.node:
        case cst.BinaryOperation(left=left, operator=cst.Subtract(), right=right):
            stop = place if is_clock(body, left) else _last(clocks, left, place)
            return _last(clocks, right, place), stop
    return None, None


def _last(clocks: dict[str, list[Bind]], node: cst.CSTNode, place: Place) -> Bind | None:
    name = node.value if isinstance(node, cst.Name) else ""
    before = [bind for bind in clocks.get(name, ()) if bind.at.order < place.at.order]
    return before[-1] if before else None


def between(start: Place, site: Place, stop: Place) -> bool:
    return start.at.order < site.at.order <= stop.at.order


def turns(read: Place, start: Place, stop: Place) -> bool:
    """The read belongs to an earlier turn of a loop that the clock runs over."""
    loops = {id(loop.node) for loop in stop.at.loops}
    return any(id(loop.node) in loops for loop in read.at.loops)


def may_wait(body: Body, call: Call, compiled: Call) -> bool:
    """A call that is given something after the compiled one, and whose inside is not known."""
    if call is compiled or call.at.order <= compiled.at.order or is_clock(body, call.node):
        return False
    return bool(call.args or call.kwargs) and not call.callee.via
