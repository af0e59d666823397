"""What loops cost beside compiled programs: equations that they unroll, work outside of jit."""

from __future__ import annotations

from dataclasses import dataclass

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Marks
from gotcha_lint.program.ir import Function
from gotcha_lint.solve.compiled_functions import Loops, Place


@dataclass(frozen=True, slots=True)
class UnrolledLoop:
    path: str
    span: Span
    turns: int | None
    equations: int
    marks: Marks
    within: Function
    alike: bool  # each turn does the same
    steps: bool  # over an axis of an array, with a state that each turn renews


@dataclass(frozen=True, slots=True)
class EagerBody:
    """Structured control flow outside of jit whose body is new in each turn, or at each call."""

    what: str
    path: str
    span: Span
    loops: Loops
    places: tuple[Place, ...]
    within: Function
    certain: bool = True  # False: unless the callers of `within` trace it


@dataclass(frozen=True, slots=True)
class EagerWork:
    """An update that runs outside of jit in each turn of these loops, one dispatch after another.

    `certain`: nothing around it is traced. `name`: of the array, where it grows; of the compiled
    function, where a gradient of one is taken.
    """

    within: Function
    loops: Loops
    places: tuple[Place, ...]
    certain: bool
    name: str = ""

    def joined(self, other: EagerWork) -> EagerWork:
        places = tuple(dict.fromkeys(self.places + other.places))
        loops, certain = self.loops | other.loops, self.certain or other.certain
        return EagerWork(self.within, loops, places, certain, self.name)
