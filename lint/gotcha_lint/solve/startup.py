"""Settings that JAX reads once, made after it has read them.

Both are effects of one run of a function, each seen at the call in it that leads there. The start
has to come first in the text of that run, and on each way to the setting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.events import Effect, Guards
from gotcha_lint.interpret.start.startup import (
    BELOW,
    JOINED,
    MADE,
    SETTINGS,
    STARTED,
    STARTS,
    WIDENED,
)
from gotcha_lint.solve.roots import Segment


@dataclass(frozen=True, slots=True)
class TooLate:
    """`setting`: what is set, and which. `by`: what has started the backend or made an array.
    `imported`: at the import of another module, or of this one.
    """

    kind: str
    setting: str
    place: Origin
    early: Origin
    by: str
    imported: bool = False


def too_late(segment: Segment) -> Iterator[TooLate]:
    """The settings of one root that come too late."""
    starts: list[Effect] = []
    seen: set[tuple[str, str, tuple[Origin, ...]]] = set()
    for event in segment.events:
        if not isinstance(event, Effect) or event.maybe:
            continue
        if event.kind in STARTS:
            starts.append(event)
        elif event.kind in SETTINGS:
            key = event.kind, event.what, _way(event)
            if key in seen:
                continue  # in another iteration
            seen.add(key)
            if event.origins:  # an import has started the backend
                by, _, setting = event.what.partition(BELOW)
                place = _way(event)[-1]
                yield TooLate(event.kind, setting, place, event.origins[0], by, imported=True)
                continue
            wanted = MADE if event.kind == WIDENED else STARTED
            for start in starts:
                met = _meet(segment, start, event) if start.kind == wanted else None
                if met is not None:
                    yield met
                    break


def _meet(segment: Segment, start: Effect, late: Effect) -> TooLate | None:
    """In the function that both are in, by themselves or by its calls."""
    if not _goes_along(start.guards, late.guards):
        return None
    one, other = _way(start), _way(late)
    depth = 0
    while depth < min(len(one), len(other)) - 1 and one[depth] == other[depth]:
        depth += 1
    if one[depth][0] != other[depth][0] or (depth == 0 and segment.root is not None):
        return None
    at_top = depth == 0 and late.kind == JOINED
    place = other[-1] if at_top else other[depth]
    if late.kind == JOINED:
        setting = _word(late, other.index(place))
    else:
        setting = late.what.rpartition(BELOW)[2]
    return TooLate(late.kind, setting, place, one[depth], _word(start, depth))


def _way(effect: Effect) -> tuple[Origin, ...]:
    """The calls that lead there from the root on, and the place."""
    return (*effect.calls, (effect.path, effect.span))


def _word(effect: Effect, depth: int) -> str:
    """The name of what is called at this depth of the way."""
    words = effect.what.split(BELOW)
    return words[depth - (len(effect.calls) + 1 - len(words))]


def _goes_along(start: Guards, late: Guards) -> bool:
    """Does who comes to the later place come by the start?"""
    tests = [(guard.path, guard.span, guard.holds) for guard in late]
    return tests[: len(start)] == [(guard.path, guard.span, guard.holds) for guard in start]
