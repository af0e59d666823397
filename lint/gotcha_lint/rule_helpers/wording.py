"""What rules say about compiled programs in the same words: functions, loops, numbers of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gotcha_lint.domain.sites import Origin, Site
from gotcha_lint.interpret.events import Effect
from gotcha_lint.program.ir import Function
from gotcha_lint.rule import Foreseen
from gotcha_lint.solve.compiled_functions import CompiledFunction, Place, Variation
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault

KIB, MIB = 2**10, 2**20


def variations(programs: Programs, *kinds: str) -> Iterator[tuple[CompiledFunction, Variation]]:
    """What varies of these kinds, with the function that is compiled for it."""
    for row in programs.compiled.values():
        for variation in row.variations:
            if variation.kind in kinds:
                yield row, variation


def at_call(variation: Variation, message: str, loops: bool = False) -> Foreseen:
    """A finding at the call that varies; with `loops`, the loops around it are shown, too."""
    call = variation.call
    places = variation.places
    if loops:
        places = (*places, *loop_places(variation.loops))
    return Foreseen((call.path, call.span), message, places, variation.certain)


def called(function: Function | None) -> str:
    """A function as a sentence calls it."""
    if function is None:
        return "the compiled function"
    return "the lambda" if function.name == "<lambda>" else f"`{function.name}`"


def wrapper(site: Site) -> str:
    """`jit` or `pmap`."""
    return str(site.info.get("word", "jit"))


def each_turn(loops: frozenset[Any], path: str) -> str:
    """`turn of the loop at line 12`: the words after "each"; loops of notebooks have no line here.

    A class that outsiders use is driven by a loop of its own (column -1).
    """
    places = sorted(loop for loop in loops if isinstance(loop, tuple) and len(loop) == 3)
    if not places:
        return "call"
    file, line, column = places[-1]
    if column < 0:
        return "call of this method"
    if path.endswith(".ipynb") or file.endswith(".ipynb"):
        return "iteration of the loop"
    where = f"at line {line}" if file == path else f"at {file.rpartition('/')[2]}:{line}"
    return f"iteration of the loop {where}"


def loop_places(loops: frozenset[Any]) -> tuple[Place, ...]:
    """The loops, for the chain."""
    return tuple(
        (loop[0], (loop[1], loop[2], loop[1], loop[2]), "in the iterations of this loop")
        for loop in sorted(loop for loop in loops if isinstance(loop, tuple) and len(loop) == 3)
        if loop[2] > 0
    )


def place_in(fault: Fault, before: int = 0) -> Origin:
    """The place that the text of a fault ends with, in the same file; or one of those before it."""
    end = len(fault.text) - 4 * before
    line, column, end_line, end_column = map(int, fault.text[end - 4 : end])
    return fault.path, (line, column, end_line, end_column)


def size(count: int) -> str:
    """Bytes, in the unit that a reader expects."""
    for unit, factor in (("GiB", 2**30), ("MiB", MIB), ("KiB", KIB)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"


def listed(words: Sequence[str], most: int = 3) -> str:
    """`a`, `b` and 2 more."""
    shown = [f"`{word}`" for word in words[:most]]
    if len(words) > most:
        return f"{', '.join(shown)} and {len(words) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)


def structures(kinds: Sequence[str]) -> str:
    """`None or an array`, of the names by which the engine calls the nodes of a tree."""
    words = dict.fromkeys(map(_structure, kinds))
    return " or ".join(words)


def _structure(kind: str) -> str:
    head, _, rest = kind.partition(" ")
    if kind == "leaf":
        return "an array"
    if kind == "None":
        return "`None`"
    if head in ("list", "tuple"):
        count = rest.removeprefix("of ")
        return f"a {head}" if count == "many" else f"a {head} of {count}"
    if head == "class":
        return f"an object of `{rest}`" if rest else "an object"
    keys = f" with the keys {rest.replace(',', ', ')}" if rest else ""
    return f"a `{head}`{keys}"


def last_call(effect: Effect) -> tuple[Origin, ...]:
    """The call that leads to an effect, if its function is not where the analysis begins."""
    within, calls = effect.within, effect.calls[-1:]
    return tuple(at for at in calls if at[1][0] not in (within.line, within.first))
