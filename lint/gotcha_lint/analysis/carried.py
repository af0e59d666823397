"""Parameters that a loop fills with what came out of the call before: `x = f(x, y)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.filling import filled
from gotcha_lint.analysis.hosting import is_host
from gotcha_lint.analysis.sites import Bind, Call, Return
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_ARRAYS = (Kind.ARRAY, Kind.UNKNOWN, Kind.NONE)


def tell_carried(flow: Flow) -> None:
    """At the end of a function that is not traced: which calls carry an array from turn to turn."""
    looped = [bind for bind in flow.body.of(Bind) if _repeated(bind) and bind.source is not None]
    if looped and is_host(flow.body):
        for bind in looped:
            call = flow.body.call_of(bind.source)
            if call is not None and not _starts_anew(flow, bind):
                _tell(flow, call, partial(_is_name, bind.name))
    returned = [flow.body.call_of(_returned(site)) for site in flow.body.of(Return)]
    passed = [call for call in returned if call is not None and call.callee.kind is Kind.FUNCTION]
    carried = (flow.view.get(("carried", flow.id)) if passed else None) or frozenset()
    for call in passed if carried else ():
        _tell(flow, call, lambda _, value: value.param in carried)


def _returned(site: Return) -> cst.CSTNode | None:
    return site.node.value if isinstance(site.node, cst.Return) else None


def _is_name(name: str, node: cst.CSTNode, _: Value) -> bool:
    return dotted(node) == name


def _repeated(bind: Bind) -> bool:
    again = any(not loop.short for loop in bind.at.loops)
    return again and bind.old is not None and bind.old.kind in _ARRAYS


def _starts_anew(flow: Flow, bind: Bind) -> bool:
    """The loop binds the name to something else too."""
    loop = bind.at.loops[-1]
    others = (one for one in flow.body.of(Bind) if one.name == bind.name and one is not bind)
    return any(loop in one.at.loops for one in others)


def _tell(flow: Flow, call: Call, fits: Callable[[cst.CSTNode, Value], bool]) -> None:
    """Tells the function that is called which of its parameters it is."""
    targets = call.callee.targets
    if call.callee.kind is not Kind.FUNCTION or call.callee.via or len(targets) != 1:
        return
    target = next(iter(targets))
    for name, node, value in filled(flow.project, target, call.callee, call):
        if fits(node, value):
            flow.effect(("carried", target), frozenset({name}))
