"""Is an index a boolean mask? Read off its text: values do not know their dtype."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body

_LOGIC = frozenset(
    f"jax.numpy.{name}"
    for name in [
        "logical_and",
        "logical_or",
        "logical_not",
        "logical_xor",
        "isnan",
        "isfinite",
        "isinf",
        "greater",
        "less",
        "greater_equal",
        "less_equal",
        "equal",
        "not_equal",
        "isin",
    ]
)
_ORDER = (
    cst.LessThan,
    cst.GreaterThan,
    cst.LessThanEqual,
    cst.GreaterThanEqual,
    cst.Equal,
    cst.NotEqual,
)


def is_mask(body: Body, parts: Sequence[cst.SubscriptElement]) -> bool:
    """One of the parts of a subscript is surely boolean."""
    return any(isinstance(p.slice, cst.Index) and _boolean(body, p.slice.value) for p in parts)


def _boolean(body: Body, node: cst.BaseExpression, follow: bool = True) -> bool:
    match node:
        case cst.Comparison(comparisons=[one]):
            return isinstance(one.operator, _ORDER)
        case cst.UnaryOperation(operator=cst.BitInvert(), expression=inner):
            return _boolean(body, inner, follow)
        case cst.BinaryOperation(left=left, operator=cst.BitAnd() | cst.BitOr(), right=right):
            return _boolean(body, left, follow) and _boolean(body, right, follow)
        case cst.Call():
            call = body.call_of(node)
            return call is not None and call.name in _LOGIC
        case cst.Name(value=name) if follow:
            sources = [bind.source for bind in body.of(Bind) if bind.name == name]
            return bool(sources) and all(
                isinstance(s, cst.BaseExpression) and _boolean(body, s, False) for s in sources
            )
    return False
