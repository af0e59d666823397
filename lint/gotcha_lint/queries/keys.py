"""Uses of one random key that are meant to be alike, and keys that nobody uses."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call, Discard
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.facts.random import ALIGNED


def aligned(now: Call, before: Call) -> bool:
    """The same reordering of several arrays."""
    return now.name == before.name and now.name in ALIGNED


def drawn_away(body: Body, call: Call) -> bool:
    """A draw whose result is thrown away, as in a warm-up."""
    return any(site.node is call.node for site in body.of(Discard))


def used_anywhere(function: Function, name: str) -> bool:
    """The name is read in the function, or in one nested in it."""
    if name in function.shared or name in function.scope.global_names | function.scope.nonlocal_names:
        return True
    stored = {id(node) for node in _stored(function.node)}
    return any(
        isinstance(node, cst.Name) and node.value == name and id(node) not in stored
        for node in walk(function.node)
    )


def _stored(root: cst.CSTNode) -> list[cst.CSTNode]:
    """The names that are assigned to, and those that are no variables: attributes and keywords."""
    found: list[cst.CSTNode] = []
    for node in walk(root):
        match node:
            case cst.AssignTarget(target=target) | cst.AnnAssign(target=target):
                found.extend(n for n in walk(target) if isinstance(n, cst.Name))
            case cst.Attribute(attr=attr):
                found.append(attr)
            case cst.Arg(keyword=cst.Name() as keyword):
                found.append(keyword)
    return found
