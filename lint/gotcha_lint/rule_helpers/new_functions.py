"""Functions that are new each time they are compiled: what the rules for them share.

`jit` finds programs by the identity of the function, so a new one finds none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from gotcha_lint.domain.freshness import TURN, kept_from, made_in
from gotcha_lint.domain.sites import Frame, Origin, Site
from gotcha_lint.domain.value import Array, Atom, Constant, Marks, Method, Number, Object, Value
from gotcha_lint.interpret.events import CompiledCall
from gotcha_lint.program.data_flow import given_by_caller
from gotcha_lint.rule import Foreseen
from gotcha_lint.rule_helpers.wording import called, each_turn, loop_places, variations, wrapper
from gotcha_lint.solve.captured import is_data, marks_within
from gotcha_lint.solve.compiled_functions import CompiledFunction, Loops, Place, Variation
from gotcha_lint.solve.programs import Programs

_FEW = 2  # iterations of a loop
Made = Literal["lambda", "closure", "partial", "method", "transform"]


@dataclass(frozen=True, slots=True)
class NewFunction:
    """A function that is made and compiled again, each time that something happens.

    `certain` is false where the programs may be meant: another one for each model or
    configuration, one that an inner loop uses, one that its user may call once.
    """

    row: CompiledFunction
    variation: Variation
    made: Made
    each: str  # "turn of the loop at line 3", "call of `step`"
    place: Origin
    places: tuple[Place, ...]
    certain: bool

    @property
    def data(self) -> tuple[str, ...]:
        """The names of the data that it captures, other data each time."""
        call, loops = self.variation.call, self.variation.loops
        varying = loops | {(TURN, loop) for loop in loops}
        given = frozenset() if call.in_own_loop else given_by_caller(call.within)
        return tuple(
            place[1]
            for place, value in call.captured
            if isinstance(place[0], (Frame, str))
            and (place[1] in given or self._varies(value, varying))
            and is_data(call, place, value)
        )

    def _varies(self, value: Value, loops: Marks) -> bool:
        marks = marks_within(self.variation.call, value)
        return bool(marks & loops or made_in(marks))

    @property
    def once(self) -> bool:
        """Made, called once and dropped by a function that may be called often."""
        return self.variation.kind == "once"

    @property
    def word(self) -> str:
        return wrapper(self.row.site)

    @property
    def name(self) -> str:
        return called(self.row.function)

    def foreseen(self, message: str) -> Foreseen:
        return Foreseen(self.place, message, self.places, self.certain)


def new_functions(programs: Programs, *made: Made) -> Iterator[NewFunction]:
    """The functions made in one of these ways."""
    for row, variation in variations(programs, "identity", "once"):
        kind = _made(row.site)
        if kind in made:
            yield _new_function(row, variation, kind)


def _new_function(row: CompiledFunction, variation: Variation, made: Made) -> NewFunction:
    call, site = variation.call, row.site
    if variation.kind == "once":
        each = f"call of {called(call.within)}"
        place, certain = _place(site, variation), variation.certain
        return NewFunction(row, variation, made, each, place, variation.places, certain)
    place = _place(site, variation)
    return NewFunction(
        row,
        variation,
        made,
        each_turn(variation.loops, place[0]),
        place,
        (*variation.places, *loop_places(variation.loops)),
        variation.certain and not _is_meant(row, variation),
    )


def _loops(variation: Variation) -> list[tuple[str, int, int]]:
    return [loop for loop in variation.loops if isinstance(loop, tuple) and len(loop) == 3]


def _place(site: Site, variation: Variation) -> Origin:
    """Where it is compiled; of what a factory makes, where the factory is called."""
    frame, within = site.info.get("frame"), variation.call.within
    if frame is None or frame.function is within:
        return site.origin
    return next(
        (
            (path, span)
            for path, span in reversed(variation.made)
            if path == within.path and within.line <= span[0] <= within.end_line
        ),
        site.origin,
    )


def _made(site: Site) -> Made:
    for atom in site.info["inner"].atoms:
        if isinstance(atom, Method):
            return "method"
        if isinstance(atom, Object):
            if atom.site.kind == "transform":
                return "partial" if atom.site.info["word"] == "partial" else "transform"
            if atom.site.kind == "function":
                function = atom.site.info["function"]
                return "lambda" if function.name == "<lambda>" else "closure"
    return "closure"


def _is_meant(row: CompiledFunction, variation: Variation) -> bool:
    """Something else than data is new in each iteration too, or there are hardly any iterations: a
    program for each may be meant.
    """
    call, loops = variation.call, variation.loops
    if variation.turns is not None and variation.turns <= _FEW:  # it costs a program more
        return True
    if call.loops - loops and not _is_made_by_caller(row, variation):  # used by an inner loop
        return True
    at = {(path, span) for path, span, _ in variation.places}
    made = (part.site for part in call.identity if part.site.kind == "instance")
    if any(each.origin in at and _may_differ(each, call, loops) for each in made):
        return True
    if not call.statics and any(word.startswith("static") for word in row.site.info["keywords"]):
        return True  # of unknown values
    if any(_varies(value.marks, loops) for value in _chosen(row.site)):
        return True
    captured = [value for place, value in call.captured if not is_data(call, place, value)]
    # With new data a number may be its length; where the call takes what it gave in the iteration
    # before, it is a schedule's.
    goes_on = kept_from((call.path, call.span)) in call.needs
    if goes_on or len(captured) < len(call.captured):
        captured = [value for value in captured if not all(map(_is_number, value.atoms))]
    if any(_is_chosen(value, variation) for value in captured):
        return True
    leaves = call.leaves.values()
    sizes = [size for leaf in leaves for size, _ in leaf.sizes.values()]
    if any(size.few and _are_all(size.few, variation.turns) for size in sizes):
        return True
    sizes = [size for size in sizes if not size.few]
    parts = [part for part in (*sizes, *call.statics) if _varies(part.marks, loops)]
    given = any(mark[0] == "parameter" for part in parts for mark in part.marks)
    again = loops.difference(*(part.marks for part in parts))  # they take the same values again
    return bool(parts) and (given or not again)


def _may_differ(instance: Site, call: CompiledCall, loops: Loops) -> bool:
    """May an object that is made in each iteration be another one than the one before?

    Not so where all that the trace reads of it is the same each time.
    """
    read = [value for place, value in call.captured if place[0] is instance]
    return not read or any(_varies(value.marks, loops) for value in read)


def _is_made_by_caller(row: CompiledFunction, variation: Variation) -> bool:
    """The very function that uses it in a loop makes it, and is called in a loop further out."""
    within, frame = variation.call.within, row.site.info.get("frame")
    return (
        frame is not None
        and frame.function is within
        and not any(
            path == within.path and within.line <= line <= within.end_line
            for path, line, _ in _loops(variation)
        )
    )


def _are_all(few: frozenset[int], turns: int | None) -> bool:
    """Is there another size in each turn, as `for n in (16, 32)` has?"""
    return turns is not None and turns <= len(few)


def _varies(marks: Marks, loops: Marks) -> bool:
    """With these loops, or perhaps: it is what a caller gives."""
    return any(mark in loops or mark[0] == "parameter" for mark in marks)


def _is_number(atom: Atom) -> bool:
    return isinstance(atom, (Constant, Number))


def _is_chosen(captured: Value, variation: Variation) -> bool:
    """A setting of the turn: it varies and is no array, or is an object made in the iteration."""
    is_array = not captured.unknown and all(isinstance(atom, Array) for atom in captured.atoms)
    if not is_array and _varies(captured.marks, variation.loops):
        return True
    return any(
        isinstance(atom, Object)
        and atom.site.kind in ("dict", "list", "set", "instance")
        and atom.site in variation.fresh
        for atom in captured.atoms
    )


def _chosen(site: Site, depth: int = 0) -> Iterator[Value]:
    """What a transform is given beside arrays: options, and the function itself."""
    info: dict[str, Any] = site.info
    for value in (*info.get("args", ()), *info.get("keywords", {}).values()):
        if value.unknown or not all(isinstance(atom, Array) for atom in value.atoms):
            yield value
    inner: Value | None = info.get("inner")
    if inner is None or depth > 4:
        return
    for atom in inner.atoms:
        if isinstance(atom, Method):
            yield atom.receiver
        elif isinstance(atom, Object) and atom.site.kind == "transform":
            yield from _chosen(atom.site, depth + 1)
    if not all(isinstance(atom, (Object, Method)) for atom in inner.atoms) or inner.unknown:
        yield inner
