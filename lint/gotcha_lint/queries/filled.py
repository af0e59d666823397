"""Which parameter of a function of the project an argument fills."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.values import FunctionId


def filled_by(body: Body, call: Call, arg: cst.Arg) -> tuple[FunctionId, str] | None:
    """The one function that is called, and its parameter; None where one is not known."""
    if body.project is None or len(call.callee.targets) != 1 or call.starred:
        return None
    fid = next(iter(call.callee.targets))
    if arg.keyword is not None:
        return fid, arg.keyword.value
    params, callee = body.project.function(fid).params, call.callee
    left = [p[0] for p in params if p[0] not in callee.bound_names][callee.bound :]
    place = call.node.args.index(arg)
    return (fid, left[place]) if place < len(left) else None
