"""Functions that make another function at each call."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value
from gotcha_lint.queries.captured import changing_here, is_data, names_and_lambdas


def makes_anew(call: Call) -> bool:
    """What is called gives another function each time, and keeps none of them."""
    makers = call.callee.targets
    return len(makers) == 1 == len(call.result.targets) and all(
        maker in call.body.usage.makers for maker in makers
    )


def maker_of(call: Call, function: Value) -> Call | None:
    """`make()` of `jit(make())`, or of `f = make()` in the same turn."""
    node = None if call.decorator else call.arg_node(0, "fun", "f")
    maker = call.body.call_of(node)
    if maker is None and isinstance(node, cst.Name):
        binds = [bind for bind in call.body.of(Bind) if bind.name == node.value]
        same = len(binds) == 1 and binds[0].at.loops == call.at.loops
        maker = call.body.call_of(binds[0].source) if same else None
    if maker is None or maker.callee.kind is not Kind.FUNCTION or maker.callee.via:
        return None
    return maker if maker.result.targets == function.targets and makes_anew(maker) else None


def given_data(maker: Call) -> tuple[str, ...] | None:
    """The data of one turn that a factory is given; None if it is given another program."""
    changing = changing_here(maker)
    read = {name for arg in maker.node.args for name in names_and_lambdas(arg.value)[0]}
    names = sorted(read & changing)
    if all(is_data(maker, maker.body.names.get(name, UNKNOWN)) for name in names):
        return tuple(names)
    return None
