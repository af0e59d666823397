"""What the names of a module are set to."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Body, Place
from gotcha_lint.analysis.syntax import dotted


def constant(body: Body, name: str) -> cst.BaseExpression | None:
    """What a name of the module is set to, where it is set once and by no function."""
    owner = body.function.scope.owner(name)
    if owner is None or owner.kind != "module" or owner.bound[name] != ["assigned"]:
        return None
    for statement in body.model.tree.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign) and dotted(small.targets[0].target) == name:
                return small.value
            if isinstance(small, cst.AnnAssign) and dotted(small.target) == name:
                return small.value
    return None


def written(place: Place, node: cst.CSTNode) -> cst.CSTNode:
    """What a name stands for at a place, there or as a constant of the module; else the node."""
    return origin(Flowing(place.body, place.at), node)[0]


def origin(flow: Flowing, node: cst.CSTNode) -> tuple[cst.CSTNode, Flowing]:
    """The same, and where the names in it mean what they meant."""
    found, where = flow.origin(node)
    if isinstance(found, cst.Name):
        found = constant(flow.body, found.value) or found
    return found, where
