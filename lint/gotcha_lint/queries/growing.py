"""Lists that are longer at each turn of a loop."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Loop, Place
from gotcha_lint.analysis.syntax import dotted, target_names, walk
from gotcha_lint.queries.places import long_loops

_ADDS = frozenset({"append", "extend", "insert"})
_TAKES = frozenset({"clear", "pop", "remove", "popleft"})


def is_longer(place: Place, name: str) -> bool:
    """The list of this name has grown since the place was reached the turn before."""
    loops = long_loops(place)
    if not loops or _waits(place, loops[-1]):
        return False
    return any(_only_grows(loop, name) for loop in loops)


def _waits(place: Place, loop: Loop) -> bool:
    """Reached in some turns alone, perhaps when the list has a certain length."""
    parts = list(walk(loop.node))
    inside = {id(part) for part in parts}
    guarded = any(id(guard.test) in inside for guard in place.at.guards)
    return guarded or any(isinstance(part, cst.Continue) for part in parts)


def _only_grows(loop: Loop, name: str) -> bool:
    """The loop appends to it, and never starts it anew or takes anything out."""
    grows = False
    for part in walk(loop.node):
        match part:
            case cst.Call(func=cst.Attribute(value=value, attr=cst.Name(value=method))):
                if method in _ADDS | _TAKES and dotted(value) == name:
                    grows = method in _ADDS
                    if not grows:
                        return False
            case cst.AssignTarget(target=target) | cst.Del(target=target):
                bound = {dotted(target), *(one.value for one in target_names(target))}
                if name in bound or name.partition(".")[0] in bound:
                    return False
                if isinstance(target, cst.Subscript) and dotted(target.value) == name:
                    return False
    return grows
