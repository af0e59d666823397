"""Objects that are there before a trace begins and after it ends: what they keep outlives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.values import STATIC_SELF, FunctionId, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def lasts(flow: Flow, node: cst.CSTNode, base: Value) -> bool:
    """Static or captured, or `self` of a method that is called on such an object."""
    trace = flow.body.trace
    if base.tracer or trace is None:
        return False
    if base.literal == STATIC_SELF:
        return True
    if not isinstance(node, cst.Name):
        return False
    if node.value == flow.function.self_name:
        return bool(flow.view.get(("kept", flow.id)))
    if node.value not in flow.function.captured:
        return trace.direct and node.value in trace.static
    owner = flow.function.scope.outer(node.value)
    if owner is None:
        return True
    return flow.view.get(("traced", (flow.model.path, owner.function.number))) is None


def note_kept(flow: Flow, node: cst.CSTNode, target: FunctionId, function: Value) -> None:
    """Tells a method that it is called on an object that outlives the trace."""
    called = node.func if isinstance(node, cst.Call) else node
    owner = called.value if isinstance(called, cst.Attribute) else called
    if function.self_ and lasts(flow, owner, function.self_[0]):
        flow.effect(("kept", target), True)
