"""What only some processes call, and all have to (solve; must).

A test of `jax.process_index()` is on the way to the call. Under-approximates: a test that other
branches mirror, with a call that waits for all in each of them, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_lint.domain.sites import Origin
from gotcha_lint.interpret.comparison import OF_PROCESS
from gotcha_lint.interpret.events import Effect, Guard


@dataclass(frozen=True, slots=True)
class OnOneProcess:
    """`at`: what the test decides about: a call that leads to the one that `waits`.

    `guard`: where the program asks which process it is.
    """

    at: Origin
    waits: Origin
    what: str
    guard: Origin
    certain: bool


@dataclass(slots=True)
class OneProcess:
    found: dict[Origin, OnOneProcess] = field(default_factory=dict)
    sides: dict[Origin, set[bool]] = field(default_factory=dict)  # of tests: which of them call

    def add(self, effect: Effect) -> None:
        guard = _last_of_process(effect)
        if guard is None or effect.traced:
            return
        asked = guard.path, guard.span
        self.sides.setdefault(asked, set()).add(guard.holds)
        waits = effect.path, effect.span
        way = (*effect.calls, waits)
        at = next((each for each in way if _is_within(each, asked)), waits)
        old = self.found.get(at)
        if old is None or (not old.certain and not effect.maybe):
            self.found[at] = OnOneProcess(at, waits, effect.what, asked, not effect.maybe)

    def alone(self) -> Iterator[OnOneProcess]:
        for one in self.found.values():
            if len(self.sides[one.guard]) == 1:
                yield one


def _is_within(place: Origin, asked: Origin) -> bool:
    """In a branch of the test; what follows one that returns early is in none."""
    return place[0] == asked[0] and asked[1][:2] < place[1][:2] < asked[1][2:]


def _last_of_process(effect: Effect) -> Guard | None:
    found = [guard for guard in effect.guards if guard.marks & OF_PROCESS]
    return found[-1] if found else None
