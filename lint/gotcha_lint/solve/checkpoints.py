"""What a training loop carries and does not save: the restarted run begins with another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.interpret.effects import SAVED
from gotcha_lint.interpret.events import Effect
from gotcha_lint.program.carried_state import Carried, unsaved
from gotcha_lint.program.ir import Function


@dataclass(frozen=True, slots=True)
class Unsaved:
    """`restored`: where the function reads such a checkpoint again, if it does."""

    path: str
    span: Span
    carried: tuple[Carried, ...]  # at least one
    restored: Origin | None


@dataclass(slots=True)
class Checkpoints:
    saves: dict[Function, dict[Span, str]] = field(default_factory=dict)
    restores: dict[Origin, str] = field(default_factory=dict)  # the calls that lead to one, too

    def add(self, effect: Effect) -> None:
        if effect.kind == SAVED:
            self.saves.setdefault(effect.within, {})[effect.span] = effect.what
            return
        for place in (*effect.calls, (effect.path, effect.span)):
            self.restores[place] = effect.what

    def unsaved(self) -> Iterator[Unsaved]:
        """Of each function with a loop that saves some of its state."""
        for function, saves in self.saves.items():
            span, found = unsaved(function, saves)
            if span is not None and found:
                restored = self._restored(function, saves[span])
                yield Unsaved(function.path, span, tuple(found), restored)

    def _restored(self, function: Function, library: str) -> Origin | None:
        first, last = function.line, function.end_line
        places = [
            place
            for place, of in self.restores.items()
            if of == library and place[0] == function.path and first <= place[1][0] <= last
        ]
        return min(places, default=None, key=lambda place: place[1])
