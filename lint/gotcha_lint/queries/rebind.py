"""Fixes that bind the result of a functional update to the name that it was meant to change."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import dotted


def rebindable(body: Body, node: cst.CSTNode | None) -> str:
    """The name or attribute that may be assigned here; empty where it may not.

    A name of an outer function would become a new local one, a global one needs `global`. A
    parameter of a function that gives nothing back was to change for the caller.
    """
    name = dotted(node)
    if name is None:
        return ""
    head, dot, _ = name.partition(".")
    if dot:
        return name
    scope = body.function.scope
    own = head in scope.bound and head not in scope.global_names
    return name if own and not _for_the_caller(body, head) else ""


def _for_the_caller(body: Body, name: str) -> bool:
    function = body.function
    given = name not in function.shared and function.has_parameter(name)
    return given and not any(part.value is not None for part in function.returns)
