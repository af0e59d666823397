"""What a training loop carries and does not save: the restarted run begins with another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.interpret.effects import ALONE, BEGUN, SAVED, WAITED
from gotcha_lint.interpret.events import Effect
from gotcha_lint.program.carried_state import Carried, Saved, unsaved
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.roots import Segment


@dataclass(frozen=True, slots=True)
class Unsaved:
    """`restored`: where the function reads such a checkpoint again, if it does."""

    path: str
    span: Span
    carried: tuple[Carried, ...]  # at least one
    restored: Origin | None


@dataclass(slots=True)
class Checkpoints:
    saves: dict[Function, dict[Span, tuple[str, Saved]]] = field(default_factory=dict)
    restores: dict[Origin, str] = field(default_factory=dict)  # the calls that lead to one, too
    running: dict[Site, Effect] = field(default_factory=dict)  # saves in the background
    lost: dict[Origin, Effect] = field(default_factory=dict)  # by the place in the script

    def add(self, effect: Effect) -> None:
        if effect.kind == WAITED and isinstance(effect.owner, Site):
            self.running.pop(effect.owner, None)
            return
        if effect.kind == BEGUN and isinstance(effect.owner, Site):
            self.running[effect.owner] = effect
            return
        if effect.kind == SAVED:
            known = self.saves.setdefault(effect.within, {})
            old = known.get(effect.span)
            known[effect.span] = (
                effect.what,
                effect.arguments if old is None else _both(old[1], effect),
            )
            return
        for place in (*effect.calls, (effect.path, effect.span)):
            self.restores[place] = effect.what

    def end(self, segment: Segment) -> None:
        """What is still written is lost: when a script ends, and where no code waits for it."""
        for effect in self.running.values():
            if segment.root is None:
                self.lost.setdefault(_in_script(effect), effect)
            elif isinstance(effect.owner, Site) and effect.owner.info.get(ALONE):
                saved = effect.path, effect.span
                if all((one.path, one.span) != saved for one in self.lost.values()):
                    self.lost[saved] = effect
        self.running.clear()

    def unsaved(self) -> Iterator[Unsaved]:
        """Of each function with a loop that saves some of its state."""
        for function, saves in self.saves.items():
            span, found = unsaved(function, {at: saved for at, (_, saved) in saves.items()})
            if span is not None and found:
                restored = self._restored(function, saves[span][0])
                yield Unsaved(function.path, span, tuple(found), restored)

    def _restored(self, function: Function, library: str) -> Origin | None:
        first, last = function.line, function.end_line
        places = [
            place
            for place, of in self.restores.items()
            if of == library and place[0] == function.path and first <= place[1][0] <= last
        ]
        return min(places, default=None, key=lambda place: place[1])


def _both(saved: Saved, effect: Effect) -> Saved:
    """One call writes several files."""
    return None if saved is None or effect.arguments is None else saved | effect.arguments


def _in_script(effect: Effect) -> Origin:
    """The last of the calls that lead to the save that is in the file of the script."""
    places = (*effect.calls, (effect.path, effect.span))
    return [place for place in places if place[0] == places[0][0]][-1]
