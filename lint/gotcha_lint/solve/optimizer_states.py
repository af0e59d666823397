"""States of optimizers that are made again for each update (may).

A state is made and gets one update, in the same steady loops, or in the same function that JAX
traces. Where another function makes the update, the parameters must go from one turn to the next:
of that the text of the loop decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.domain.value import Object
from gotcha_lint.interpret.events import Effect
from gotcha_lint.interpret.models.optax_states import STATE_MADE, STATE_USED
from gotcha_lint.patterns.training.fresh_states import Fresh, of_model, of_parameters
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.roots import Segment


@dataclass(frozen=True, slots=True)
class Restarted:
    """`name`: of the state, if it has one; `in_loop`: of its own function, else in a step."""

    place: Origin
    name: str
    in_loop: bool
    whole: bool  # an optimizer of nnx, which holds its state
    updated: Origin
    certain: bool


@dataclass(slots=True)
class OptimizerStates:
    """Takes the effects of one root, in their order."""

    made: dict[Site, list[Effect]] = field(default_factory=dict)
    used: dict[Site, list[Effect]] = field(default_factory=dict)

    def add(self, effect: Effect) -> None:
        if effect.kind == STATE_MADE and isinstance(effect.owner, Site):
            self.made.setdefault(effect.owner, []).append(effect)
        elif effect.kind == STATE_USED:
            atom = effect.values[0].only
            if isinstance(atom, Object):
                self.used.setdefault(atom.site, []).append(effect)

    def end(self, segment: Segment) -> Iterator[Restarted]:
        for site, uses in self.used.items():
            pairs = (_together(made, uses, segment) for made in reversed(self.made.get(site, [])))
            pair = next((each for each in pairs if each is not None), None)
            found = None if pair is None else _restarted(*pair, segment)
            if found is not None:
                yield found


def _together(made: Effect, uses: list[Effect], segment: Segment) -> tuple[Effect, Effect] | None:
    """The one update, where the state is made as often as it is used, and again and again."""
    if made.loops:
        uses = [use for use in uses if use.loops & made.loops]
    nearest = max((_common(made, use) for use in uses), default=0)
    uses = [use for use in uses if _common(made, use) == nearest]
    if len({(use.calls, use.path, use.span) for use in uses}) != 1:
        return None
    if any(use.loops - made.loops for use in uses) or not uses[-1].loops >= made.loops:
        return None
    if made.loops:
        listed = all(segment.loops.of(loop).listed for loop in made.loops)
        return None if listed else (made, uses[-1])
    return (made, uses[-1]) if made.traced and uses[-1].traced else None


def _common(made: Effect, used: Effect) -> int:
    """How many calls lead to both: one function may run on several ways."""
    pairs = enumerate(zip(made.calls, used.calls, strict=False))
    shortest = min(len(made.calls), len(used.calls))
    return next((number for number, (one, other) in pairs if one != other), shortest)


def _restarted(made: Effect, used: Effect, segment: Segment) -> Restarted | None:
    makes, uses = _way(made), _way(used)
    while len(makes) > 1 and len(uses) > 1 and makes[0] == uses[0]:
        del makes[0], uses[0]
    inline = len(uses) == 1
    function = _around(makes[0], [made.within, used.within, segment.root])
    if function is None or uses[0][0] != makes[0][0] or not (made.loops or inline):
        return None
    whole = made.what == "nnx"
    judge = of_model if whole else of_parameters
    fresh: Fresh | None = judge(function, makes[0][1], uses[0][1], inline)
    if fresh is None:
        return None
    certain = not (made.maybe or used.maybe)
    return Restarted(makes[0], fresh.name, fresh.in_loop, whole, uses[0], certain)


def _way(effect: Effect) -> list[Origin]:
    return [*effect.calls, (effect.path, effect.span)]


def _around(place: Origin, near: Iterable[Function | None]) -> Function | None:
    """The innermost function with this place, of the files of these functions."""
    path, span = place
    for one in near:
        if one is None or one.path != path:
            continue
        top = one
        while top.parent is not None:
            top = top.parent
        found = [f for f in _below(top) if f.line <= span[0] <= f.end_line or f is top]
        inner = [f for f in found if any(i[-1] == span and i[0] == "call" for i in steps_of(f))]
        return inner[-1] if inner else None
    return None


def _below(function: Function) -> Iterator[Function]:
    yield function
    for i in steps_of(function):
        if i[0] in ("closure", "class"):
            yield from _below(i[2])
