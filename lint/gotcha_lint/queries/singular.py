"""Expressions whose derivative is infinite somewhere, and conditions that ask for that place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.limits import is_small
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.jax import SINGULAR
from gotcha_lint.rule import text_of

_SMALL = 1e-3
_ROOTS = frozenset({"sqrt", "cbrt", "norm"})


class Singular(NamedTuple):
    node: cst.CSTNode  # the whole expression
    word: str  # how to call it
    inner: cst.CSTNode  # what must stay away from the place
    at: float
    zero: bool = False  # it is itself 0 there, so that it can be asked instead


class Condition(NamedTuple):
    subject: cst.CSTNode
    bound: cst.CSTNode
    away: bool  # it holds where the subject is away from the bound


def singular(body: Body, root: cst.CSTNode) -> Iterator[Singular]:
    """`sqrt(x)`, `a / x`, `x ** 0.5` below a node."""
    for node in walk(root, into_functions=False):
        match node:
            case cst.Call():
                call = body.call_of(node)
                row = SINGULAR.get(call.name) if call is not None else None
                inner = call.arg_node(row[1], "x") if call is not None and row is not None else None
                if call is not None and row is not None and inner is not None:
                    word = call.name.rpartition(".")[2]
                    yield Singular(node, f"`{word}`", inner, row[0], word in _ROOTS)
            case cst.BinaryOperation(operator=cst.Divide(), right=right):
                yield Singular(node, "the division", right, 0.0)
            case cst.BinaryOperation(operator=cst.Power(), left=left, right=right):
                power = literal(right)
                if (
                    isinstance(power, int | float)
                    and (power < 0 or power != int(power))
                    and power < 1
                ):
                    yield Singular(node, "the power", left, 0.0, power > 0)


def conditions(flowing: Flowing, node: cst.CSTNode) -> Iterator[Condition]:
    """The comparisons that a mask is made of."""
    waiting, seen = [(flowing, node, True)], set[int]()
    while waiting:
        flowing, node, holds = waiting.pop()
        node, flowing = flowing.origin(node)
        if id(node) in seen:  # `mask = mask & near`, in a loop
            continue
        seen.add(id(node))
        match node:
            case cst.UnaryOperation(operator=cst.BitInvert(), expression=inner):
                waiting.append((flowing, inner, not holds))
            case cst.BinaryOperation(left=left, operator=cst.BitAnd() | cst.BitOr(), right=right):
                waiting += [(flowing, right, holds), (flowing, left, holds)]
            case cst.Comparison(left=left, comparisons=[part]):
                yield from _compared(left, part, holds)


def _compared(
    left: cst.BaseExpression, part: cst.ComparisonTarget, holds: bool
) -> Iterator[Condition]:
    away = isinstance(part.operator, cst.GreaterThan | cst.GreaterThanEqual | cst.NotEqual)
    turned = isinstance(part.operator, cst.LessThan | cst.LessThanEqual | cst.NotEqual)
    if away or isinstance(part.operator, cst.Equal) or turned:
        yield Condition(left, part.comparator, away == holds)
        yield Condition(part.comparator, left, turned == holds)


def asks_for(flowing: Flowing, condition: Condition, found: Singular) -> bool:
    """The condition compares the very value with the place where the derivative is infinite."""
    bound = literal(condition.bound)
    if found.at == 0.0:
        near = abs(bound) <= _SMALL if isinstance(bound, int | float) else is_small(condition.bound)
    else:
        near = isinstance(bound, int | float) and 0.9 <= abs(bound) <= 1.0
    itself = found.zero and flowing.resolve(condition.subject) is found.node
    return near and (itself or same(flowing, condition.subject, found.inner))


def same(flowing: Flowing, one: cst.CSTNode, other: cst.CSTNode) -> bool:
    """Equal text, or one is the absolute value, a reduction or a part of the other."""
    return not _texts(flowing, one).isdisjoint(_texts(flowing, other))


def _texts(flowing: Flowing, node: cst.CSTNode) -> set[str]:
    whole = flowing.resolve(node)
    return {text_of(n) for n in (node, whole, _bare(node), _bare(whole))}


def _bare(node: cst.CSTNode) -> cst.CSTNode:
    """`x` of `jnp.abs(x)`, `x * 2`, `x ** 2`."""
    while True:
        match node:
            case cst.Call(
                func=cst.Attribute(attr=cst.Name(value="abs" | "fabs" | "square")), args=[arg]
            ):
                node = arg.value
            case cst.BinaryOperation(
                left=left, operator=cst.Power() | cst.Multiply(), right=right
            ) if literal(right) is not None:
                node = left
            case _:
                return node
