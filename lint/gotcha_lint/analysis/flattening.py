"""Which attributes of a registered class are traced: the children of its `tree_flatten`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.bound import made
from gotcha_lint.analysis.model import Function, once
from gotcha_lint.analysis.returning import returned
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import ClassId

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def may_be_auxiliary(flow: Flow, cid: ClassId, name: str) -> bool:
    """A `tree_flatten` of this file does not name the attribute among the children."""
    method = flow.project.method(cid, "tree_flatten")
    if method is None or method[0] != flow.model.path:
        return False
    return name not in _children(flow.model.functions[method[1]])


@once
def _children(function: Function) -> frozenset[str]:
    """The attributes of `self` in the first of the two that it returns."""
    pairs = (value.elements for value in returned(function) if isinstance(value, cst.Tuple))
    stack: list[cst.CSTNode] = [pair[0] for pair in pairs if pair]
    seen: set[str] = set()
    found: set[str] = set()
    while stack:
        for node in walk(stack.pop()):
            match node:
                case cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=attr)):
                    found |= {attr} if owner == function.self_name else set()
                case cst.Name(value=name) if name not in seen:
                    seen.add(name)
                    stack.extend(made(function).get(name, ()))
    return frozenset(found)
