"""Assignments to elements, and the functional updates that do the same."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import At
from gotcha_lint.queries.small import small_statements

_METHODS: dict[type[cst.BaseAugOp], str] = {
    cst.AddAssign: "add",
    cst.SubtractAssign: "subtract",
    cst.MultiplyAssign: "multiply",
    cst.DivideAssign: "divide",
    cst.PowerAssign: "power",
}


def assignment(at: At, target: cst.Subscript) -> tuple[cst.CSTNode, cst.BaseExpression, str] | None:
    """The assignment to this one target, its right side and the update that does the same."""
    for small in small_statements(at):
        match small:
            case cst.Assign(targets=[cst.AssignTarget(target=one)], value=value) if one is target:
                return small, value, "set"
            case cst.AugAssign(operator=operator, value=value) if small.target is target:
                method = _METHODS.get(operator.__class__)
                return (small, value, method) if method else None
    return None
