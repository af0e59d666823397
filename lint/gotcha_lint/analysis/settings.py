"""Functions that only put settings of JAX right: to call one is to set them there."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import FunctionId, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

Setting = tuple[str, object]
_LONGEST = 8  # statements; what does more is a program of its own


def note_setting(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...]) -> None:
    """`jax.config.update(name, value)` in this function."""
    if len(args) == 2 and isinstance(args[0].literal, str) and _only_sets(flow, node):
        setting: Setting = (args[0].literal, args[1].literal)
        flow.effect(("sets", flow.id), frozenset({setting}))


def note_settings_of(flow: Flow, node: cst.CSTNode, target: FunctionId) -> None:
    """A call of a function that puts settings right."""
    settings = flow.view.get(("sets", target))
    if settings and _only_sets(flow, node):
        flow.effect(("sets", flow.id), settings)


def _only_sets(flow: Flow, call: cst.CSTNode) -> bool:
    node = flow.function.node
    if flow.guards or flow.loops:
        return False
    if not isinstance(node, cst.FunctionDef) or len(node.body.body) > _LONGEST:
        return False
    return not any(map(_does_more, walk(node.body), repeat(call)))


def _does_more(part: cst.CSTNode, call: cst.CSTNode) -> bool:
    gives = isinstance(part, cst.Return) and part.value not in (None, call)
    return gives or isinstance(part, cst.For | cst.While)
