"""Marks that say whether a derivative flows from what a gradient is taken of.

`("flows", origin, steps)`: the value follows from the argument of the gradient at `origin`, a tuple
`(path, span, position)`. A step `("at", key)` says: from this leaf of the argument alone. Last
may be `("cut", origin, word)`: no derivative flows from there on; or `("pole", origin, word)`: the
derivative is infinite or undefined at a point that is reached.
"""

from __future__ import annotations

from typing import Any

from gotcha_lint.domain.value import Marks

FLOWS = "flows"
AT, CUT, POLE = "at", "cut", "pole"
_DEEPEST = 4  # keys that are told apart

Mark = Any
Step = tuple[Any, ...]


def flow(origin: Any) -> Mark:
    """From the whole argument of the gradient at `origin`."""
    return (FLOWS, origin, ())


def flows_in(marks: Marks) -> Marks:
    return frozenset(mark for mark in marks if mark[0] == FLOWS) if marks else marks


def last_step(mark: Mark) -> Step | None:
    """The cut or the pole that a flow ends with."""
    steps = mark[2]
    return steps[-1] if steps and steps[-1][0] != AT else None


def keys_of(mark: Mark) -> tuple[Any, ...]:
    return tuple(step[1] for step in mark[2] if step[0] == AT)


def after_step(marks: Marks, step: Step) -> Marks:
    """The marks of a result: flows are taken a step further, all else stays.

    Beyond a cut nothing is added; a pole that is cut off is forgotten, and one is enough.
    """
    flows = flows_in(marks)
    if not flows:
        return marks
    moved = (_moved(mark, step) for mark in flows)
    return (marks - flows) | {mark for mark in moved if mark is not None}


def _moved(mark: Mark, step: Step) -> Mark | None:
    ended = last_step(mark)
    if ended is not None:
        return None if step[0] == POLE or (ended[0], step[0]) == (POLE, CUT) else mark
    if step[0] == AT and len(mark[2]) >= _DEEPEST:
        return mark
    return (*mark[:2], (*mark[2], step))
