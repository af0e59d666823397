"""Numbers for the values of a traced program: equal where they are computed alike."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from gotcha_sanitizer.hooks.jaxpr.flat import Flat, Step

_KEYS = frozenset({"random_bits", "random_split", "random_fold_in", "random_wrap", "random_unwrap"})


@dataclass
class Values:
    """Numbers that are equal for values that are computed alike, and what changes in a loop."""

    flat: Flat

    def __post_init__(self) -> None:
        self._alike: dict[object, int] = {}
        self._number: dict[int, int] = {}
        self._repeated: set[int] = set()
        self._moving: defaultdict[int, frozenset[int]] = defaultdict(frozenset)  # loops, by value

    def of(self, value: int) -> int:
        return self._number.get(value, value)

    def changes(self, value: int, loop: int) -> bool:
        return loop in self._moving[value]

    def repeat(self, step: Step) -> None:
        """Told once: what is made of this step's results is not told again."""
        self._repeated.update(step.outs)

    def is_repeated(self, value: int) -> bool:
        return value in self._repeated

    def number(self, step: Step) -> None:
        moving = frozenset().union(*(self._moving[value] for value in step.ins))
        if step.name == "loop in":
            moving |= frozenset(step.place.loops[-1:])
        for out in step.outs:
            self._moving[out] = moving
        if not self._repeated.isdisjoint(step.ins):
            self._repeated.update(step.outs)
        if not self._may_hold_a_key(step):
            return
        what = (step.name, _params(step), tuple(self.of(value) for value in step.ins))
        for position, out in enumerate(step.outs):
            self._number[out] = self._alike.setdefault((what, position), out)

    def _may_hold_a_key(self, step: Step) -> bool:
        if step.name in _KEYS:
            return step.name != "random_bits"
        if step.name == "random_seed":  # two equal seeds are another pitfall
            return False
        whole = all(getattr(self.flat.types[o].dtype, "kind", "V") in "iubV" for o in step.outs)
        return whole and not step.name.startswith(("loop", "branch"))


def _params(step: Step) -> object:
    params = step.equation.params
    try:
        key = tuple(sorted((name, value) for name, value in params.items()))
        hash(key)
    except TypeError:  # not to be compared: equal to nothing
        return id(step.equation)
    return key
