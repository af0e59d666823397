"""Operations that are wrong for what they are given: each place and fault once, over all roots."""

from __future__ import annotations

from dataclasses import dataclass, field

from gotcha_lint.domain.sites import Span
from gotcha_lint.interpret.events import Remark
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.roots import Segment

About = tuple[str, int, int]  # file, first and last line of what the fault is about
_CALLS = 3  # that are shown for the way to the place


@dataclass(frozen=True, slots=True)
class Fault:
    """`certain`: it happens in each run that comes there.

    `scripted`: a program of the project comes there by itself, not an outsider.
    """

    kind: str
    text: tuple[str, ...]
    path: str
    span: Span
    within: Function
    places: tuple[tuple[str, Span, str], ...]
    certain: bool
    scripted: bool
    about: About | None


@dataclass(slots=True)
class Faults:
    found: dict[tuple[str, str, Span, About | None], Fault] = field(default_factory=dict)

    def add(self, segment: Segment) -> None:
        for event in segment.events:
            if isinstance(event, Remark):
                self._add(event, segment.runs_once, segment.root is not None)

    def of(self, *kinds: str) -> list[Fault]:
        return [fault for fault in self.found.values() if fault.kind in kinds]

    def _add(self, event: Remark, scripted: bool, rooted: bool) -> None:
        """`rooted`: the first of its calls is that of a root, which no text has."""
        key = event.kind, event.path, event.span, event.about
        old = self.found.get(key)
        if old is not None and (old.certain or event.maybe) and (old.scripted or not scripted):
            return
        calls = tuple((*at, "called here") for at in event.calls[rooted:][-_CALLS:])
        self.found[key] = Fault(
            event.kind,
            event.text,
            event.path,
            event.span,
            event.within,
            (*event.places, *calls),
            not event.maybe,
            scripted,
            event.about,
        )
