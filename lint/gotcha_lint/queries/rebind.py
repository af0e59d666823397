"""Fixes that bind the result of a functional update to the name that it was meant to change."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import dotted


def rebindable(body: Body, node: cst.CSTNode | None) -> str:
    """The name or attribute that may be assigned here; empty where it may not.

    A name of an outer function would become a new local one, a global one needs `global`.
    """
    name = dotted(node)
    if name is None:
        return ""
    head, dot, _ = name.partition(".")
    scope = body.function.scope
    return name if dot or (head in scope.bound and head not in scope.global_names) else ""
