"""Functions that take care of what they change: they compile again."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.syntax import walk


def compiles_anew(function: Function) -> bool:
    """It jits, or clears what was compiled: it takes care of what it changes."""
    for node in walk(function.node):
        if node.__class__ is cst.Name and (
            "jit" in node.value  # type: ignore[attr-defined]
            or node.value in ("pmap", "clear_caches", "clear_cache")  # type: ignore[attr-defined]
        ):
            return True
    return False
