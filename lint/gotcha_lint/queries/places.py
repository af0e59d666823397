"""Where a place stands: which loops repeat it, what changes at each turn, which file it is in."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import At, Bind, Loop, Place
from gotcha_lint.analysis.syntax import dotted, is_none


def long_loops(place: Place) -> tuple[Loop, ...]:
    """The loops around a place that run more than a few times, outermost first."""
    return tuple(loop for loop in place.at.loops if not loop.short)


def assigned_each_time(place: Place) -> frozenset[str]:
    """The names that get a new value before the place is reached again."""
    loops = long_loops(place)
    if not loops:
        own = {bind.name for bind in place.body.of(Bind)}
        return frozenset(own | {param.name for param in place.body.function.params})
    inner = loops[-1]
    bound = {bind.name for bind in place.body.of(Bind) if inner in bind.at.loops}
    return frozenset(bound | inner.names)


def happens_once(place: Place) -> bool:
    """Under `if f is None`, `if key not in cache`, `if step == 0`: only a first time is reached."""
    return any(
        _asks_for_first(guard.test, guard.when) or (guard.when and _is_cleared(place, guard.test))
        for guard in place.at.guards
    )


def _is_cleared(place: Place, test: cst.CSTNode) -> bool:
    """`if stale: f = jit(...); stale = False`: something asks for another one."""
    return isinstance(test, cst.Name) and any(
        bind.name == test.value
        and dotted(bind.source) == "False"
        and any(guard.test is test and guard.when for guard in bind.at.guards)
        for bind in place.body.of(Bind)
        if bind.source is not None
    )


def _asks_for_first(test: cst.CSTNode, when: bool) -> bool:
    match test:
        case cst.UnaryOperation(operator=cst.Not()):
            return when
        case cst.Comparison(
            comparisons=[cst.ComparisonTarget(operator=operator, comparator=other)]
        ):
            none = is_none(other)
            first = isinstance(other, cst.Integer) and other.value in ("0", "1")
            if isinstance(operator, cst.NotIn) or (isinstance(operator, cst.Is) and none):
                return when
            return isinstance(operator, cst.Equal) and first and when
        case cst.BooleanOperation(left=left, right=right):
            return _asks_for_first(left, when) or _asks_for_first(right, when)
    return False


# The small statements of the line that a place stands in


def small_statements(at: At) -> tuple[cst.BaseSmallStatement, ...]:
    """`a = 1; b = 2` has two; a compound statement has none."""
    line = at.statement
    return tuple(line.body) if isinstance(line, cst.SimpleStatementLine) else ()
