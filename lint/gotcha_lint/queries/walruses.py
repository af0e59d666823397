"""What a walrus binds, and where that is known to be true."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.rule import text_of

# Other comparisons are answered by True or False alone: nobody wants the value besides.
_ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)


def compared_in(walrus: cst.CSTNode) -> cst.Comparison | None:
    """The comparison that a walrus binds, where the value compared could be of use besides."""
    node = walrus.value if isinstance(walrus, cst.NamedExpr) else walrus
    while isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.And):
        node = node.left
    match node:
        case cst.Comparison(
            left=cst.Call() | cst.Subscript() | cst.Attribute() | cst.BinaryOperation(),
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=other)],
        ) if not node.lpar:
            none = isinstance(operator, cst.IsNot) and text_of(other) == "None"
            return node if none or isinstance(operator, _ORDER) else None
    return None


def branch_of(body: Body, walrus: cst.CSTNode) -> cst.If | cst.While | None:
    """The `if` or `while` whose body runs only where the walrus is true."""
    for node in walk(body.function.node):
        if isinstance(node, cst.If | cst.While) and any(p is walrus for p in _needed(node.test)):
            return node
    return None


def _needed(test: cst.BaseExpression) -> Iterator[cst.CSTNode]:
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        yield from _needed(test.left)
        yield from _needed(test.right)
    else:
        yield test
