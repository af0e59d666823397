"""Chains of optimizers: what each part does to the sign of the updates, and to what comes after.

Of a function that makes a chain, each call counts: a rate is of one sign only if no caller gives
one of the other sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gotcha_lint.domain.sites import Origin, Span
from gotcha_lint.domain.value import NONE, Constant, Object, Value
from gotcha_lint.facts.optax import (
    CLIPS,
    KEEPING,
    NORMALISING,
    PRECONDITIONERS,
    SCALED,
    SIGN_KEEPING,
)
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.models.optax_chains import DECAY, RATE, sign_of

_EVERY = "optax.apply_every"
_SCALE, _SCHEDULE, _DECAY = "optax.scale", "optax.scale_by_schedule", "optax.add_decayed_weights"


@dataclass(frozen=True, slots=True)
class Part:
    """One transformation: its name, "" where it is not known, and its rate.

    `argument`: which one of the chain it comes from. `sign`: "+", "-", or "" of the rate; `word`:
    as what a caller gives it; `number`: the rate where it is a constant.
    """

    argument: int
    name: str
    place: Origin
    sign: str
    word: str
    number: float | None = None
    keeps_sign: bool = False  # `flip_sign` is given
    some: frozenset[str] = frozenset()  # names of alternatives, where it may be one of several

    @property
    def short(self) -> str:
        return self.name.removeprefix("optax.")

    @property
    def limits(self) -> bool:
        return self.name in CLIPS

    @property
    def descends(self) -> bool:
        """Its updates go down: a whole optimizer, or a step with a minus."""
        if self.keeps_sign:
            return False
        return self.name in SCALED or (self.name in (_SCALE, _SCHEDULE) and self.sign == "-")

    @property
    def grows(self) -> bool:
        """A decay that is a positive number, or is called one."""
        return self.name == _DECAY and (self.sign == "+" or (not self.sign and self.word == DECAY))

    @property
    def decays(self) -> bool:
        return self.name == _DECAY and self.number != 0

    @property
    def climbs(self) -> bool:
        """A schedule of positive rates, which leaves the minus to what follows."""
        return self.name == _SCHEDULE and self.sign == "+"


@dataclass(frozen=True, slots=True)
class Misplaced:
    """A part that is wrong where it stands, and the one that makes it wrong."""

    part: Part
    other: Part | None = None

    def explained(self, text: str) -> tuple[tuple[str, Span, str], ...]:
        return () if self.other is None else ((*self.other.place, text),)


@dataclass(slots=True)
class Chains:
    """All chains of a project, by where they are made: one list of parts for each call."""

    made: dict[Origin, list[tuple[Part, ...]]] = field(default_factory=dict)

    def add(self, effect: Effect) -> None:
        words = effect.what.split()
        place = effect.path, effect.span
        parts = tuple(
            _part(int(number), value, rate, word, place)
            for value, rate, number, word in zip(
                effect.values[0::2], effect.values[1::2], words[0::2], words[1::2], strict=True
            )
        )
        known = self.made.setdefault(place, [])
        if parts not in known:
            known.append(parts)

    def clipped_after(self) -> Iterator[Misplaced]:
        """A limit on what the optimizer has scaled already."""
        for parts in self._each():
            optimizer: Part | None = None
            for part in parts:
                if part.name in SCALED or part.some & SCALED:
                    optimizer = part
                elif part.name in CLIPS and _apart(optimizer, part):
                    yield Misplaced(part, optimizer)
                    break

    def decayed_after(self) -> Iterator[Misplaced]:
        """A decay that is added to updates which go down already."""
        for parts in self._each():
            for number, part in enumerate(parts):
                before, after = parts[:number], parts[number + 1 :]
                optimizer = next((each for each in before if each.descends), None)
                optimizer = optimizer or _stepped(before)
                if _apart(optimizer, part) and part.grows and _keep_sign(after):
                    yield Misplaced(part, optimizer)

    def decayed_in_moments(self) -> Iterator[Misplaced]:
        """A decay that becomes a part of the gradient, which is divided by its size."""
        for parts in self._each():
            decay: Part | None = None
            for part in parts:
                if part.decays:
                    decay = part
                elif part.name in NORMALISING and decay is not None:
                    if _apart(decay, part):
                        yield Misplaced(decay, part)
                    break

    def accumulated(self) -> Iterator[Misplaced]:
        """Updates that are summed up, next to a part that keeps moments of each of them, or after
        one that limits each of them.
        """
        for parts in self._each():
            keeper = next((part for part in parts if part.name in KEEPING), None)
            limit: Part | None = None
            for part in parts:
                if part.limits:
                    limit = part
                elif part.name == _EVERY and part.number != 1:
                    other = keeper if _apart(keeper, part) else limit
                    if _apart(other, part):
                        yield Misplaced(part, other)

    def ascending(self) -> Iterator[Misplaced]:
        """The last part scales by a positive rate, and no other part turns the updates round."""
        for parts in self._each():
            if not parts or parts[-1].name not in (_SCALE, _SCHEDULE):
                continue
            last = parts[-1]
            rest = [part for part in parts[:-1] if not part.climbs]
            scheduled = len(rest) < len(parts) - 1
            prepared = scheduled or any(part.name in PRECONDITIONERS for part in rest)
            if prepared and _keep_sign(rest) and _is_positive(last, scheduled):
                yield Misplaced(last)

    def _each(self) -> Iterator[tuple[Part, ...]]:
        """Each chain once, with what all its callers agree on."""
        for made in self.made.values():
            parts = made[0]
            if all(_names(other) == _names(parts) for other in made):
                yield tuple(map(_agreed, zip(*made, strict=True)))


def _apart(one: Part | None, other: Part) -> bool:
    """Not of one chain in this chain, which has its own finding."""
    return one is not None and one.argument != other.argument


def _names(parts: Sequence[Part]) -> list[str]:
    return [part.name for part in parts]


def _agreed(parts: tuple[Part, ...]) -> Part:
    """Of one place: callers of whom nothing is known have no say."""
    signs = {part.sign for part in parts if part.sign}
    if len(signs) > 1:
        first = parts[0]
        return Part(first.argument, first.name, first.place, "", "?")
    return next((part for part in parts if part.sign), parts[0])


def _keep_sign(parts: Sequence[Part]) -> bool:
    return all(part.name in SIGN_KEEPING for part in parts)


def _stepped(parts: Sequence[Part]) -> Part | None:
    """A scale after a preconditioner: unless it is surely positive, it brings the minus."""
    prepared = False
    for part in parts:
        if prepared and part.name == _SCALE and part.sign != "+" and part.word == "?":
            return part
        prepared = prepared or part.name in PRECONDITIONERS
    return None


def _is_positive(last: Part, scheduled: bool) -> bool:
    """A step size from 1 upwards may be a factor: only where the rate stands before it."""
    if last.sign == "+":
        return last.number is None or last.number < 1 or (scheduled and last.name == _SCALE)
    return not last.sign and last.name == _SCALE and last.word == RATE


def _part(argument: int, value: Value, rate: Value, word: str, place: Origin) -> Part:
    """`place`: of the chain, for what is made elsewhere."""
    atom = value.only
    if not isinstance(atom, Object) or atom.site.kind != "optimizer":
        made = (a.site.info.get("name") for a in value.atoms if isinstance(a, Object))
        return Part(argument, "", place, "", "?", some=frozenset(map(str, made)))
    at = atom.origin
    inside = at is not None and at[0] == place[0] and _is_within(at[1], place[1])
    number = rate.constant if isinstance(rate.only, Constant) and rate != NONE else None
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    return Part(
        argument,
        str(atom.site.info["name"]),
        at if inside and at is not None else place,
        "" if number == 0 else sign_of(rate),
        word,
        number if is_number else None,
        "flip_sign" in atom.site.info["options"],
    )


def _is_within(inner: Span, outer: Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]
