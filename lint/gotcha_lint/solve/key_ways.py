"""The ways of a run to two uses of one key: where they part, and whether one run goes both.

What stands on the way to a use are calls, functions, and the sides of branches (`KeyUse`).
"""

from __future__ import annotations

from typing import Any

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.events import KeyUse
from gotcha_lint.program.ir import Function


def part_ways(first: KeyUse, now: KeyUse) -> tuple[Origin, Origin]:
    """The first places that differ on the ways to the two uses.

    Where one place calls several functions in turn, that is the place where the key is used again.
    """
    ways = (*first.calls, (first.path, first.span)), (*now.calls, (now.path, now.span))
    for level, (before, at) in enumerate(zip(*ways, strict=False)):
        if before != at:
            several = first.functions[level : level + 1] != now.functions[level : level + 1]
            outer = min(_is_driven(first), len(ways[1]) - 1)
            return (ways[0][outer], ways[1][outer]) if several else (before, at)
    return ways[0][-1], ways[1][-1]


def _is_driven(use: KeyUse) -> bool:
    """Is the outermost call that of a root, which stands at its `def`?"""
    within = use.functions[1:2]
    return bool(use.calls) and any(
        use.calls[0][1][0] in (function.line, function.first) for function in within
    )


def are_exclusive(first: KeyUse, now: KeyUse) -> bool:
    """Are the two on branches of which one alone is taken?"""
    if _is_elsewhere(first, now) or _is_elsewhere(now, first):
        return True
    calls = zip((*first.calls, None), (*now.calls, None), strict=False)
    for level, (before, at) in enumerate(calls):
        taken = dict(first.sides[level]) if level < len(first.sides) else {}
        later = now.sides[level] if level < len(now.sides) else ()
        if any(taken.get(branch, side) != side for branch, side in later):
            return True
        if before != at:
            return False
    return False


def _is_elsewhere(use: KeyUse, other: KeyUse) -> bool:
    """Has a function returned the key on one side of a branch, where the other use is on the
    other side, or is of a key that came from there?
    """
    for path, span, holds in use.left:
        for function, sides in zip(other.functions, other.sides, strict=False):
            if is_around(function, (path, *span)) and dict(sides).get(span, holds) != holds:
                return True
        if (path, span, not holds) in other.left:
            return True
    return False


def are_alternatives(first: KeyUse, now: KeyUse) -> bool:
    """Are they in two functions of which one call calls one?"""
    if not (first.maybe and now.maybe):
        return False
    for level in range(min(len(first.functions), len(now.functions))):
        if first.functions[level] is not now.functions[level]:
            return True
        chosen = {first.choices[level], now.choices[level]} - {None}
        if len(chosen) > 1 and first.calls[level : level + 1] == now.calls[level : level + 1]:
            return True
        if first.calls[level : level + 1] != now.calls[level : level + 1]:
            return False
    return False


def is_doubted(first: KeyUse, now: KeyUse) -> bool:
    """Does a use depend on which key or function it is, in a place where the other one does not?

    Which of several functions is called does not matter where both uses are in the same call.
    """
    level = _parting_level(first, now)
    return first.is_doubted_from(level) or now.is_doubted_from(level)


def _parting_level(first: KeyUse, now: KeyUse) -> int:
    """Of the functions on the way to both uses, the number of the last one that they share."""
    ways = zip(
        (*first.calls, None), (*now.calls, None), first.functions, now.functions, strict=False
    )
    for level, (a, b, function, other) in enumerate(ways):
        if function is not other:
            return max(level - 1, 0)
        if a != b:
            return level
    return min(len(first.calls), len(now.calls))


def both_happen(first: KeyUse, now: KeyUse) -> bool:
    """Does the one use happen wherever the other one does, in the function where they part ways?

    Two uses that depend on different conditions may never happen in one run.
    """
    ways = zip((*first.calls, None), (*now.calls, None), strict=False)
    level = next((n for n, (a, b) in enumerate(ways) if a != b), len(first.calls))
    first_sides, now_sides = _spans(first, level), _spans(now, level)
    if not (first_sides <= now_sides or now_sides <= first_sides):
        return False
    # One function that is called twice: with other arguments it may not draw at all.
    for below in range(level + 1, min(len(first.functions), len(now.functions))):
        if first.functions[below] is not now.functions[below]:
            break
        if _spans(first, below) != _spans(now, below):
            return False
    return True


def _spans(use: KeyUse, level: int) -> set[tuple[Any, Any]]:
    """The open branches around a use, in the function at this level of its calls."""
    sides = use.sides[level] if level < len(use.sides) else ()
    return {(branch, side) for branch, side in sides if _is_span(branch)}


def are_of_other_runs(first: KeyUse, now: KeyUse, loops: list[Any]) -> bool:
    """Do the two turns need different ways of one branch that is before the loop?

    There a key is split once more, say: what one run uses in the first turn, another one does in
    the second.
    """
    for level, (taken, later) in enumerate(zip(first.sides, now.sides, strict=False)):
        here = [tuple(loop[1:3]) for loop in loops if _level_of(now, loop) == level]
        ways = dict(taken)
        for branch, side in later:
            before = _is_span(branch) and (not here or branch[:2] < min(here))
            if before and ways.get(branch, side) != side:
                return True
        if here:
            return False
    return False


def _is_span(branch: Any) -> bool:
    return isinstance(branch, tuple) and len(branch) == 4 and isinstance(branch[0], int)


def _level_of(use: KeyUse, loop: Any) -> int:
    """In which of the functions on the way to a use the loop stands; else the first."""
    around = [level for level, function in enumerate(use.functions) if is_around(function, loop)]
    return around[-1] if around and loop[2] >= 0 else 0


def is_around(function: Function, loop: Any) -> bool:
    first = function.first or function.line
    return function.path == loop[0] and (
        function.is_module or first <= loop[1] <= function.end_line
    )
