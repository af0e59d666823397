"""The jaxprs that JAX keeps: which are known, and how many of one source there are.

A helper of `compiling`: it holds weak references only.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from typing import Any

from gotcha_sanitizer.values.parts import Function

_MOST = 1024  # function objects that are remembered though their jaxpr is gone


class Spent:
    """Seconds of tracing, lowering and compiling in this process, nested traces counted again."""

    seconds = 0.0


spent = Spent()


class Traces:
    def __init__(self) -> None:
        self._jaxprs: dict[int, weakref.ref[Any]] = {}  # by identity
        self._latest: dict[int, weakref.ref[Any]] = {}  # by function object
        self._most = _MOST
        self._alive: defaultdict[object, set[int]] = defaultdict(set)  # by source

    def knows(self, jaxpr: Any) -> bool:
        """True for one that was seen before: it was not made again."""
        known = self._jaxprs.get(id(jaxpr))
        return known is not None and known() is jaxpr

    def lost(self, function: Function) -> bool:
        """True where JAX no longer has the latest jaxpr of a function object."""
        before = self._latest.get(function.serial)
        return before is not None and before() is None

    def keep(self, function: Function, jaxpr: Any) -> int:
        """Takes in the latest jaxpr of a function; how many JAX has now of its source."""
        key, alive = id(jaxpr), self._alive[function.key]

        def forget(_: object) -> None:
            self._jaxprs.pop(key, None)
            alive.discard(key)

        self._jaxprs[key] = self._latest[function.serial] = weakref.ref(jaxpr, forget)
        if len(self._latest) > self._most:  # most are of function objects that are gone too
            self._latest = {serial: kept for serial, kept in self._latest.items() if kept()}
            self._most = max(_MOST, 2 * len(self._latest))
        alive.add(key)
        return len(alive)
