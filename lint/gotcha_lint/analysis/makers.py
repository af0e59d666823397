"""Functions that give another function object at each call, and keep none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_PLAIN = ("staticmethod", "classmethod")
PARTIALS = ("functools.partial", "jax.tree_util.Partial")
# Found again for the same function: `jit(jit(f))`.
SAME_OBJECT = frozenset({"jit", "nnx.jit", "checkpoint"})


def note_maker(flow: Flow) -> None:
    """Tells that what this function gives is new each time: defined, mapped, or made by a maker."""
    value = flow.effects.get(("return", flow.id))
    if value is None or value.kind is not Kind.FUNCTION or value.maybe or value.param:
        return
    if len(value.targets) != 1 or flow.body.trace is not None or _is_decorated(flow):
        return
    if _is_new(flow, value) and not _may_keep(flow.function.node):
        flow.effect(("again", flow.id), True)


def _is_decorated(flow: Flow) -> bool:
    plain = flow.function.has_decorator(*_PLAIN)
    return flow.project.function(flow.id).decorated and not plain


def _is_new(flow: Flow, value: Value) -> bool:
    inner = flow.project.function(next(iter(value.targets)))
    if inner.qualname.startswith(f"{flow.function.qualname}.<locals>."):
        return True
    return (
        _is_mapped(flow, value)
        or _is_partial(flow, value)
        or any(
            call.result.targets == value.targets
            and len(call.callee.targets) == 1
            and flow.view.get(("again", next(iter(call.callee.targets))))
            for call in flow.body.calls.values()
        )
    )


def _is_mapped(flow: Flow, value: Value) -> bool:
    """`jax.vmap(f)` in this function, which is another function each time."""
    path, model = flow.id[0], flow.model
    made = {
        id(model.node(via.site[1]))
        for via in value.via
        if via.name not in SAME_OBJECT and via.site[0] == path and via.site[1] >= 0
    }
    return bool(made) and any(id(part) in made for part in walk(flow.function.node))


def _is_partial(flow: Flow, value: Value) -> bool:
    """`jax.jit(partial(f, x))` in this function: partials are told apart by identity."""
    return value.made == "partial" and any(
        call.name in PARTIALS and call.result.targets == value.targets
        for call in flow.body.calls.values()
    )


def _may_keep(node: cst.CSTNode) -> bool:
    """A function that keeps what it makes: it stores it, or asks whether it is there."""
    for part in walk(node):
        match part:
            case cst.Is() | cst.IsNot() | cst.In() | cst.NotIn() | cst.Try():
                return True
            case cst.AssignTarget(target=cst.Attribute() | cst.Subscript()):
                return True
            case cst.Name(value="hasattr" | "getattr" | "setdefault"):
                return True
    return False
