"""What a training loop carries and does not save: the restarted run begins with another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gotcha_lint.domain.sites import Origin, Site, Span
from gotcha_lint.interpret.effects import BEGUN, BY_METHOD, RESTORED, SAVED, WAITED
from gotcha_lint.interpret.events import Effect
from gotcha_lint.program.carried_fields import unsaved_fields
from gotcha_lint.program.carried_state import Carried, Saved, unsaved
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.roots import Segment

CHECKPOINT_EFFECTS = frozenset((SAVED, BY_METHOD, RESTORED, BEGUN, WAITED))


@dataclass(frozen=True, slots=True)
class Unsaved:
    """`restored`: where the function reads such a checkpoint again, if it does; `written`: where a
    helper writes the file; `also`: other saves of the loop.
    """

    path: str
    span: Span
    carried: tuple[Carried, ...]  # at least one
    restored: Origin | None
    written: Origin | None = None
    also: tuple[Span, ...] = ()
    holder: str = "loop"


@dataclass(slots=True)
class Checkpoints:
    saves: dict[Function, dict[Span, tuple[str, Saved]]] = field(default_factory=dict)
    methods: dict[Function, dict[Span, tuple[str, Saved]]] = field(default_factory=dict)
    written: dict[Origin, Origin] = field(default_factory=dict)  # by the call of a helper
    restores: dict[Origin, str] = field(default_factory=dict)  # the calls that lead to one, too
    running: dict[Site, Effect] = field(default_factory=dict)  # saves in the background
    lost: dict[Origin, Effect] = field(default_factory=dict)  # by the place in the script
    awaited: set[Origin] = field(default_factory=set)  # saves of which some caller waits for one
    unawaited: dict[Origin, Effect] = field(default_factory=dict)  # by functions that end before

    def add(self, effect: Effect) -> None:
        if effect.kind == WAITED and isinstance(effect.owner, Site):
            begun = self.running.pop(effect.owner, None)
            if begun is not None:
                self.awaited.add((begun.path, begun.span))
            return
        if effect.kind == BEGUN and isinstance(effect.owner, Site):
            self.running[effect.owner] = effect
            return
        if effect.kind in (SAVED, BY_METHOD):
            saves = self.saves if effect.kind == SAVED else self.methods
            known = saves.setdefault(effect.within, {})
            if effect.origins:
                self.written.setdefault((effect.path, effect.span), effect.origins[0])
            old = known.get(effect.span)
            known[effect.span] = (
                effect.what,
                effect.arguments if old is None else _both(old[1], effect),
            )
            return
        for place in (*effect.calls, (effect.path, effect.span)):
            self.restores[place] = effect.what

    def end(self, segment: Segment) -> None:
        """A script ends: what is still written then is lost; or a function whose callers are
        unknown."""
        for effect in self.running.values():
            if segment.root is None:
                self.lost.setdefault(_in_script(effect), effect)
            else:
                self.unawaited.setdefault((effect.path, effect.span), effect)
        self.running.clear()

    def unsaved(self) -> Iterator[Unsaved]:
        """Of each function with a loop that saves some of its state, and of each method."""
        yield from self._of_methods()
        for function, saves in self.saves.items():
            library = next(iter(saves.values()))[0]
            restores = self._restores(function, library)
            written = {at: saved for at, (_, saved) in saves.items()}
            spans, found, loop = unsaved(function, written, [at for _, at in restores])
            if spans and found and loop is not None:
                # What is read within the loop, or after it, is no start from a checkpoint.
                restores = self._restores(function, saves[spans[0]][0])
                restores = [at for at in restores if at[1] < loop]
                yield Unsaved(
                    function.path,
                    spans[0],
                    tuple(found),
                    min(restores, default=None),
                    self.written.get((function.path, spans[0])),
                    tuple(at for at in spans[1:] if saves[at][0] == saves[spans[0]][0]),
                )

    def _of_methods(self) -> Iterator[Unsaved]:
        for method, saves in self.methods.items():
            if method.parent is None:
                continue
            written = {at: saved for at, (_, saved) in saves.items()}
            library = next(iter(saves.values()))[0]
            siblings = [i[2] for i in method.parent.body if i[0] == "closure"]
            restores = [at for each in siblings for at in self._restores(each, library)]
            span, found = unsaved_fields(method, written, [at for _, at in restores])
            if span is not None and found:
                at, begun = self.written.get((method.path, span)), min(restores, default=None)
                yield Unsaved(method.path, span, tuple(found), begun, at, holder="object")

    def _restores(self, function: Function, library: str) -> list[Origin]:
        """The calls in a function that read checkpoints of a library."""
        first, last = function.line, function.end_line
        first += not function.is_module  # an outsider's call stands at the `def`
        return [
            (path, span)
            for (path, span), of in self.restores.items()
            if of == library and path == function.path and first <= span[0] <= last
        ]


def _both(saved: Saved, effect: Effect) -> Saved:
    """One call writes several files."""
    return None if saved is None or effect.arguments is None else saved | effect.arguments


def _in_script(effect: Effect) -> Origin:
    """The last of the calls that lead to the save that is in the file of the script."""
    places = (*effect.calls, (effect.path, effect.span))
    return [place for place in places if place[0] == places[0][0]][-1]
