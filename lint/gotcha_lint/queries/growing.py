"""Lists that are longer at each turn of a loop."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Loop, Place
from gotcha_lint.analysis.syntax import dotted, target_names, walk
from gotcha_lint.queries.places import long_loops

_ADDS = frozenset({"append", "extend", "insert"})
_TAKES = frozenset({"clear", "pop", "remove", "popleft"})
# Their functions leave the length of a list that they are given as it is.
_READERS = ("builtins.", "numpy.", "jax.")


def is_longer(place: Place, name: str) -> bool:
    """The list of this name has grown since the place was reached the turn before."""
    loops = long_loops(place)
    if not loops or _waits(place, loops[-1]):
        return False
    if _set_from_elsewhere(place.body, name):
        return False
    return any(_only_grows(place, loop, name) for loop in loops)


def _waits(place: Place, loop: Loop) -> bool:
    """Reached in some turns alone, perhaps when the list has a certain length."""
    parts = list(walk(loop.node))
    inside = {id(part) for part in parts}
    guarded = any(id(guard.test) in inside for guard in place.at.guards)
    return guarded or any(isinstance(part, cst.Continue) for part in parts)


def _set_from_elsewhere(body: Body, name: str) -> bool:
    """Some function may start it again: it says `global name`, or `nonlocal name`."""
    return any(
        item.name.value == name
        for part in walk(body.model.tree)
        if isinstance(part, cst.Global | cst.Nonlocal)
        for item in part.names
    )


def _only_grows(place: Place, loop: Loop, name: str) -> bool:
    """The loop appends to it, never starts it again, and nothing may take anything out."""
    grows = False
    for part in walk(loop.node):
        if any(_sets(target, name) for target in _bound_by(part)):
            return False
        if not isinstance(part, cst.Call):
            continue
        method = _method_of(part, name)
        if method in _TAKES or (part is not place.node and _may_shorten(place.body, part, name)):
            return False
        grows = grows or method in _ADDS
    return grows


def _bound_by(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """What this node by itself assigns or deletes."""
    match node:
        case (
            cst.AssignTarget(target=target)
            | cst.Del(target=target)
            | cst.For(target=target)
            | cst.NamedExpr(target=target)
        ):
            yield target
        case cst.AnnAssign(target=target, value=value) if value is not None:
            yield target


def _sets(target: cst.CSTNode, name: str) -> bool:
    bound = {dotted(target), *(one.value for one in target_names(target))}
    if name in bound or name.partition(".")[0] in bound:
        return True
    return isinstance(target, cst.Subscript) and dotted(target.value) == name


def _method_of(call: cst.Call, name: str) -> str:
    """`append`, of `name.append(...)`."""
    match call.func:
        case cst.Attribute(value=value, attr=cst.Name(value=method)) if dotted(value) == name:
            return method
    return ""


def _may_shorten(body: Body, call: cst.Call, name: str) -> bool:
    """The list itself is given to a function of which nothing is known."""
    if all(dotted(arg.value) != name for arg in call.args):
        return False
    site = body.call_of(call)
    return site is None or not site.name.startswith(_READERS)
