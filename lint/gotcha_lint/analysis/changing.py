"""What is another thing at each turn of a loop, by how its text is written."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis import varying
from gotcha_lint.analysis.syntax import names_in, target_names, walk
from gotcha_lint.analysis.values import Kind, Kwargs, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

# Calls of these names give something else each time.
_DRAWS = frozenset(
    ["next", "sample", "integers", "randint", "choice", "permutation", "get", "rollout", "play"]
)
FEW = 16  # values of a number that are still a choice of programs
_TURNS = 2  # passes over a loop's body: a name may be made of one that is assigned below it


@lru_cache(maxsize=256)
def changing_names(loop: cst.CSTNode) -> frozenset[str]:
    """The targets of a loop, and what its body makes of them or draws again."""
    names: set[str] = set()
    clauses = [part for part in walk(loop) if isinstance(part, cst.For | cst.CompFor)]
    if clauses and (clauses[0] is loop or not isinstance(loop, cst.For | cst.While)):
        names |= {name.value for name in target_names(clauses[0].target)}
    for _ in range(_TURNS):
        for part in walk(loop):
            if isinstance(part, cst.Assign) and names_in(part.value) & (names | _DRAWS):
                for target in part.targets:
                    names |= {name.value for name in target_names(target.target)}
            elif isinstance(part, cst.For) and names_in(part.iter) & (names | _DRAWS):
                names |= {name.value for name in target_names(part.target)}
    return frozenset(names)


def handed(
    flow: Flow,
    node: cst.CSTNode,
    plain: Value,
    value: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
) -> Value:
    """An argument as the called function sees it: the loop is the caller's."""
    mark = varying.held(value) or value.varying
    if not mark or mark == "own-maximum" or value.kind is Kind.ITER:
        return plain  # a loader: the loop over it is the called function's
    again = mark.endswith(varying.CALLED)
    if value.kind is Kind.STATIC and any(_is_few(loop.over.literal) for loop in flow.loops):
        return varying.remarked(plain, "")
    if flow.turns and not again:
        again = mark == "loop-variable" or (
            mark in ("selection", "random") and _changes(flow, _node_of(node, value, args, kwargs))
        )
    return varying.remarked(plain, varying.CALLED if again else "")


def _is_few(turns: object) -> bool:
    return isinstance(turns, int) and turns <= FEW


def _changes(flow: Flow, node: cst.CSTNode | None) -> bool:
    names = names_in(node) if node is not None else set()
    loops = (loop for loop in flow.loops if not loop.short)
    return bool(names) and any(names & changing_names(loop.node) for loop in loops)


def _node_of(
    node: cst.CSTNode, value: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> cst.CSTNode | None:
    """The text of an argument, where nothing is unpacked."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return None
    places = [arg.value for arg in node.args if arg.keyword is None]
    for place, one in zip(places, args, strict=False):
        if one is value:
            return place
    named = {arg.keyword.value: arg.value for arg in node.args if arg.keyword is not None}
    return next((named.get(name) for name, one in kwargs.items() if one is value), None)
