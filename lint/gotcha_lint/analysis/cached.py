"""Reads of a `cached_property`: the first one runs its getter, in the trace that it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.lasting import lasts
from gotcha_lint.analysis.propagation import propagate
from gotcha_lint.analysis.values import GETTERS, Value, defined

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
    if flow.body.trace is None or lasts(flow, node.value, base):
        propagate(flow, node, getter, defined(getter))
