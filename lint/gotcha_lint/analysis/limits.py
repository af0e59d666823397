"""What keeps a value away from zero: a `where`, a `maximum`, a small number that is added."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.syntax import literal, source_of, walk
from gotcha_lint.facts.jax import GUARDS

_EPSILONS = ("eps", "tiny", "tol", "small")


def is_guarded(flowing: Flowing, node: cst.CSTNode) -> bool:
    """It cannot get there: it comes out of a `where` or a `maximum`, or a small number is added."""
    body, whole = flowing.body, flowing.resolve(node)
    for part in walk(whole):
        call = body.call_of(part) if isinstance(part, cst.Call) else None
        if call is not None and call.name in GUARDS:
            return True
        if _adds_small(part):
            return True
        if isinstance(part, cst.Name) and part is not whole:
            deeper = flowing.resolve(part)
            made = body.call_of(deeper) if deeper is not part else None
            if made is not None and made.name in GUARDS:
                return True
    return isinstance(literal(whole), int | float)


def _adds_small(node: cst.CSTNode) -> bool:
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Add(), right=right):
            return is_small(left) or is_small(right)
    return False


def is_small(node: cst.CSTNode) -> bool:
    """A positive number, or a name that says so."""
    number = literal(node)
    if isinstance(number, int | float):
        return number > 0
    return any(word in source_of(node, 1000).lower() for word in _EPSILONS)
