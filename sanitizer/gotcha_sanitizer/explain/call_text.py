"""The call that a line makes, and what takes its results: read from the source."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gotcha_sanitizer.explain.turns import around

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
MISSING = object()


@dataclass(frozen=True)
class Statement:
    """A statement that calls something. `targets`: what its result, or each part of it, goes to."""

    first: int  # lines
    last: int
    calls: tuple[ast.Call, ...]
    targets: tuple[ast.expr, ...]
    returns: bool


@lru_cache(maxsize=256)
def statement(path: str, line: int) -> Statement | None:
    """The statement of a line; None for the head of a loop or an `if`, and without a source."""
    found = next((node for node in around(path, line) if isinstance(node, _SIMPLE)), None)
    if found is None:
        return None
    calls = tuple(node for node in ast.walk(found) if isinstance(node, ast.Call))
    targets: list[ast.expr] = []
    if isinstance(found, ast.Assign):
        targets = list(found.targets[:1])
    elif isinstance(found, (ast.AnnAssign, ast.AugAssign)):
        targets = [found.target]
    if targets and isinstance(targets[0], (ast.Tuple, ast.List)):
        targets = list(targets[0].elts)
    last = found.end_lineno or found.lineno
    return Statement(found.lineno, last, calls, tuple(targets), isinstance(found, ast.Return))


def value(node: ast.expr, names: Mapping[str, Any], others: Mapping[str, Any]) -> Any:
    """What a name, an attribute, or an element with a constant index is now; else MISSING.

    Nothing is called but `getattr` and the subscript of a plain container.
    """
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id] if node.id in names else others.get(node.id, MISSING)
    if isinstance(node, ast.Attribute):
        held = value(node.value, names, others)
        return MISSING if held is MISSING else getattr(held, node.attr, MISSING)
    if isinstance(node, ast.Subscript):
        held, index = value(node.value, names, others), value(node.slice, names, others)
        if isinstance(held, (dict, list, tuple)) and isinstance(index, (str, int)):
            try:
                return held[index]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return MISSING
    return MISSING
