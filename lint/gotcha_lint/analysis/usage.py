"""What is known of a project when all of it is analysed: who runs, changes and keeps what."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import libcst as cst

from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import ClassId, FunctionId, Site, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

Steps = tuple[tuple[Site, str], ...]  # from the outermost: places, with the functions called there
Callers = Mapping[FunctionId, frozenset[FunctionId]]
_NONE: Mapping[Any, Any] = MappingProxyType({})


class Usage(NamedTuple):
    """Who runs a function: code that is not traced, and loops; and what classes hold."""

    hosted: frozenset[FunctionId] = frozenset()  # also called from code that is not traced
    hot: Mapping[FunctionId, Steps] = _NONE  # the loops that call what runs many times
    stored: Mapping[tuple[ClassId, str], frozenset[str]] = _NONE  # the methods that assign a field
    fields: Mapping[ClassId, Mapping[str, Value]] = _NONE  # what the attributes hold
    callers: Callers = _NONE
    sets: Mapping[FunctionId, frozenset[Setting]] = _NONE  # functions that only put settings right
    updated: frozenset[tuple[FunctionId, str]] = frozenset()  # parameters: states updated once
    rerun: Mapping[FunctionId, Steps] = _NONE  # the loops around what a function is traced into
    gives: Mapping[FunctionId, int] = _NONE  # how long the tuple is that a function returns


UNTOLD = Usage()  # while functions are still being analysed


# Functions that only put settings of JAX right: to call one is to set them there

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
