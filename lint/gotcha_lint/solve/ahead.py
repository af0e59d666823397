"""Executables that are compiled ahead of time and never called, beside calls that compile again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.interpret.events import CompiledCall, Effect
from gotcha_lint.interpret.models.transforms import WITH_OPTIONS

_Arguments = frozenset[int | str]


@dataclass(frozen=True, slots=True)
class Idle:
    """`called`: the call that compiles again; `by_options`: the executable alone has options."""

    place: Origin
    called: Origin
    by_options: bool
    certain: bool


def idle(effects: list[Effect], asked: Mapping[Site, list[CompiledCall]]) -> Iterator[Idle]:
    """`effects`: of one root, each a function that is compiled ahead; `asked`: its calls."""
    for effect in effects:
        calls = asked.get(effect.owner, []) if isinstance(effect.owner, Site) else []
        by_options = effect.what == WITH_OPTIONS
        others = calls if by_options else _otherwise(effect.arguments or frozenset(), calls)
        other = next((call for call in others if _may_follow(effect, call)), None)
        if other is not None:
            called = other.path, other.span
            certain = not (effect.maybe or other.maybe)
            yield Idle((effect.path, effect.span), called, by_options, certain)


def _otherwise(given: _Arguments, calls: list[CompiledCall]) -> list[CompiledCall]:
    """The calls in another style, where none is in that of `lower`."""
    styles = [_style(call) for call in calls]
    if given in styles:
        return []
    return [call for call, own in zip(calls, styles, strict=True) if _is_but(given, own)]


def _style(call: CompiledCall) -> _Arguments:
    count, names = call.style
    return frozenset((*range(count), *names))


def _is_but(one: _Arguments, other: _Arguments) -> bool:
    """The same arguments, of which one of both gives more by name."""
    names, others = _names(one), _names(other)
    known = not any(name.startswith("*") for name in names | others)
    return known and len(one) == len(other) and (names <= others or others <= names)


def _names(arguments: _Arguments) -> set[str]:
    return {each for each in arguments if isinstance(each, str)}


def _may_follow(effect: Effect, call: CompiledCall) -> bool:
    """One run may come to both: no test is true for the one and false for the other."""
    held = {(guard.path, guard.span): guard.holds for guard in effect.guards}
    return all(held.get((g.path, g.span), g.holds) == g.holds for g in call.guards)
