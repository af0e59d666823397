"""Reads of a `cached_property`: the first one runs its getter, in the trace that it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.propagation import propagate
from gotcha_lint.analysis.values import GETTERS, STATIC_SELF, Value, defined

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_CACHED = GETTERS["functools.cached_property"]


def note_cached(flow: Flow, node: cst.Attribute, base: Value) -> None:
    """Tells the getter who reads it; not where the object may be one of this trace alone."""
    assert base.cls is not None
    name = node.attr.value
    getter = flow.project.method(base.cls, name)
    number = flow.project.function(getter).cls if getter is not None else None
    if getter is None or number is None:
        return
    stored = flow.view.get(("attr", (getter[0], number), name))
    if stored is None or stored.literal != _CACHED:
        return
    if flow.body.trace is None or _outlives(flow, node.value, base):
        propagate(flow, node, getter, defined(getter))


def _outlives(flow: Flow, node: cst.BaseExpression, base: Value) -> bool:
    """An object that is there before the trace begins, and after it: static, or captured."""
    trace = flow.body.trace
    if base.tracer or not isinstance(node, cst.Name) or trace is None:
        return False
    if base.literal == STATIC_SELF or (trace.direct and node.value in trace.static):
        return True
    if node.value not in flow.function.captured:
        return False
    owner = flow.function.parent
    while owner is not None and node.value not in owner.scope.bound:
        owner = owner.parent
    return owner is None or flow.view.get(("traced", (flow.model.path, owner.number))) is None
