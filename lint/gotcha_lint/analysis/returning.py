"""The values that a function gives back, as they are written there."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function


def returned(function: Function) -> list[cst.BaseExpression]:
    """The values of all its `return`s; none where it may give something else too."""
    node = function.node
    if isinstance(node, cst.Lambda):
        return [node.body]
    if not isinstance(node, cst.FunctionDef) or function.is_generator or node.asynchronous:
        return []
    values = [part.value for part in function.returns if part.value is not None]
    return values if len(values) == len(function.returns) else []
