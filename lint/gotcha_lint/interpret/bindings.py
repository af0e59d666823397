"""What names of modules and classes are bound to: functions, classes, modules, libraries, nothing.

Most of what a function reads are such names, and next to none of them is ever bound again. So a
summary does not keep what it has read there: it keeps the places alone, and holds until one of them
is bound to something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

from gotcha_lint.domain.sites import Frame
from gotcha_lint.domain.value import Library, Object, Value
from gotcha_lint.interpret.events import Location

_KINDS = frozenset(("function", "class", "module", "property", "static_method", "class_method"))


class Bindings:
    """The bindings that roots have read, and those that are not to be relied on."""

    def __init__(self) -> None:
        self.rebound: set[Location] = set()
        self._known: dict[str, dict[Location, Value | None]] = {}  # by the path of the module

    def is_fixed(self, location: Location, value: Value | None) -> bool:
        """May a summary rely on it? `value`: what modules have left there; None: nothing."""
        known = self._known.setdefault(path_of(location), {})
        if location in known:
            if known[location] == value:
                return location not in self.rebound
            self.rebound.add(location)
        if location in self.rebound or not _is_binding(value):
            return False
        known[location] = value
        return True

    def compare(self, paths: Iterable[str], peek: Callable[[Location], Value | None]) -> None:
        """Modules have been run: what is bound to something else now is not relied on."""
        for path in paths:
            known = self._known.get(path, {})
            self.rebound.update(place for place, value in known.items() if peek(place) != value)


@dataclass(slots=True)
class Lookup:
    """What a class says of a name, and the places where it was looked for, all of them fixed."""

    value: Value | None
    places: frozenset[Location]
    paths: frozenset[str]
    checked: int  # how many places had been bound again when it was last seen to hold

    def holds(self, bindings: Bindings, loading: Set[str]) -> bool:
        """Is it still so? `loading`: modules that are being run."""
        count = len(bindings.rebound)
        if self.checked != count:
            if not self.places.isdisjoint(bindings.rebound):
                return False
            self.checked = count
        return self.paths.isdisjoint(loading)


def may_be_fixed(location: Location) -> bool:
    """Is it a name of a module or of a class?"""
    base = location[0]
    return isinstance(base, str) or (isinstance(base, Frame) and base.function.is_class)


def path_of(location: Location) -> str:
    """The module that such a name belongs to."""
    base = location[0]
    return base.function.path if isinstance(base, Frame) else str(base)


def _is_binding(value: Value | None) -> bool:
    if value is None:
        return True
    atom = value.only
    if value.marks:
        return False
    return isinstance(atom, Library) or (isinstance(atom, Object) and atom.site.kind in _KINDS)
