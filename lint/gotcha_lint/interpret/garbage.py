"""Forgets what no name of a module leads to any more.

Sites are named by instruction, so what one script leaves behind would else be taken for an older
state of what the next one makes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from gotcha_lint.domain.sites import Frame, Site
from gotcha_lint.domain.value import Mapping, Method, Object, Sequence, Tuple, Value
from gotcha_lint.interpret.events import Location
from gotcha_lint.interpret.state import Layer

Base = Any  # a frame, a site, a symbol or the path of a module


def collect(layers: list[Layer]) -> None:
    """Drops the locations of the last layer that no module's names reach."""
    layer = layers[-1]
    places: dict[Base, list[tuple[Location, Value]]] = defaultdict(list)
    for each in layers:
        for place, value in each.items():
            places[place[0]].append((place, value))
    stack: list[Base] = [base for base in places if isinstance(base, str)]
    seen: set[Base] = set(stack)
    while stack:
        base = stack.pop()
        found = list(_of_base(base))
        for _, value in places.get(base, ()):
            found.extend(_of_value(value))
        for other in found:
            if other not in seen:
                seen.add(other)
                stack.append(other)
    for base, own in places.items():
        if base not in seen:
            for place, _ in own:
                layer.pop(place, None)


def _of_base(base: Base) -> Iterator[Base]:
    """What a site knows from its making: functions their closures, transforms what is inside."""
    if not isinstance(base, Site):
        return
    for known in base.info.values():
        parts = known.values() if isinstance(known, dict) else known
        many = isinstance(known, (dict, tuple, list))
        for part in parts if many else (known,):
            if isinstance(part, Value):
                yield from _of_value(part)
            elif isinstance(part, (Frame, Site)):
                yield part


def _of_value(value: Value) -> Iterator[Base]:
    for atom in value.atoms:
        if isinstance(atom, Object):
            yield atom.site
        elif isinstance(atom, Method):
            yield from _of_value(atom.receiver)
        elif isinstance(atom, Tuple):
            for item in atom.items:
                yield from _of_value(item)
        elif isinstance(atom, Sequence):
            yield from _of_value(atom.element)
        elif isinstance(atom, Mapping):
            for item in (*atom.values, *((atom.rest,) if atom.rest else ())):
                yield from _of_value(item)
