"""Conditions that let only a few turns of a loop come to a place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Loop, Place

_FEW = 5  # turns that show how far a demo is


def loops_often(place: Place) -> tuple[Loop, ...]:
    """The loops that come to a place more than a few times, outermost first."""
    return tuple(loop for loop in place.at.loops if not loop.short and not _seldom(loop, place))


def _seldom(loop: Loop, place: Place) -> bool:
    """Under `step == 0`, or under `step % 20 == 0` where the loop has a hundred turns."""
    turns = loop.over.literal if loop.over.of == "range" else None
    for guard in place.at.guards:
        for node in _conditions(guard.test) if guard.when else ():
            every = _turns_apart(node, _counters(loop))
            if every == 0:
                return True
            if every is not None and isinstance(turns, int) and turns <= _FEW * every:
                return True
    return False


def _counters(loop: Loop) -> frozenset[str]:
    """`i` of `for i in range(n)` and of `for i, x in enumerate(xs)`."""
    if loop.over.of == "range":
        return loop.names
    match loop.node:
        case cst.For(
            target=cst.Tuple(elements=[cst.Element(value=cst.Name(value=name)), *_]),
            iter=cst.Call(func=cst.Name(value="enumerate")),
        ):
            return frozenset({name})
    return frozenset()


def _conditions(test: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Those that an `and` joins."""
    match test:
        case cst.BooleanOperation(left=left, operator=cst.And(), right=right):
            yield from (*_conditions(left), *_conditions(right))
        case _:
            yield test


def _turns_apart(node: cst.CSTNode, counters: frozenset[str]) -> int | None:
    """20 of `step % 20 == 0`, 0 of `step == 3`, which holds once."""
    match node:
        case cst.Comparison(
            left=left, comparisons=[cst.ComparisonTarget(cst.Equal(), cst.Integer())]
        ):
            match left:
                case cst.Name(value=name) if name in counters:
                    return 0
                case cst.BinaryOperation(cst.Name(value=name), cst.Modulo(), cst.Integer(value=n)):
                    return int(n, 0) if name in counters else None
    return None
