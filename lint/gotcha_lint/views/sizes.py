"""Where the sizes of a name come from, for `--why`: in the words of findings of `varying-shape`.

A may analysis, as that of `name_values`: the values of all contexts are joined. A size of which
nothing is known, and one that is always the same, has no entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import Array, Mapping, Marks, Size, Symbol, Tuple, Value
from gotcha_lint.domain.value import Sequence as Many
from gotcha_lint.interpret.batches import is_ragged
from gotcha_lint.interpret.indexing import cut_of
from gotcha_lint.interpret.own_sizes import is_rounded, origins, rows_of
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.compiled_functions import Place

_DEPTH = 2  # of containers


@dataclass(frozen=True, slots=True)
class Varies:
    """What a size does, and the places that explain it."""

    text: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class At:
    """Where a name is: its file and the loops around it; `statements`: all loops but those of
    comprehensions, which are over where the value is used."""

    path: str
    around: Marks
    statements: Callable[[str, int], bool]  # does such a loop begin at this line of the file?

    def loops(self, marks: Marks) -> Marks:
        """The loops in whose iterations it differs: if possible those around the name."""
        loops = frozenset(
            mark
            for mark in marks
            if isinstance(mark, tuple) and len(mark) == 3 and isinstance(mark[2], int)
        )
        outer = frozenset(loop for loop in loops if self.statements(loop[0], loop[1]))
        return loops & self.around or outer or loops


def varying(name: str, value: Value, at: At) -> list[Varies]:
    """What the sizes of a name's values do, each once."""
    return list(dict.fromkeys(_of_value(name, value, at, _DEPTH)))


def _of_value(name: str, value: Value, at: At, depth: int) -> Iterator[Varies]:
    for atom in value.atoms:
        match atom:
            case Array(shape=shape) if shape is not None:
                for axis, size in enumerate(shape):
                    yield from _of_size(name, axis, size, atom.origin, at)
            case Array():
                rows = rows_of(atom, value.marks)
                if rows is not None:
                    yield from _of_size(name, *rows, atom.origin, at)
            case Symbol():
                yield from _of_symbol(name, atom, at)
            case Many(size=size):
                loops = at.loops(size.marks)
                if loops:
                    text = f"`{name}` has another length at each {each_turn(loops, at.path)}"
                    yield Varies(text, _places((atom.origin, size.origin), loops))
            case Tuple(items=items) if depth:
                for number, item in enumerate(items):
                    yield from _of_value(f"{name}[{number}]", item, at, depth - 1)
            case Mapping(keys=keys, values=values) if depth:
                for key, item in zip(keys, values, strict=True):
                    yield from _of_value(f"{name}[{key!r}]", item, at, depth - 1)
            case _:
                pass


def _of_symbol(name: str, symbol: Symbol, at: At) -> Iterator[Varies]:
    cut = cut_of(symbol)
    if cut is not None:
        yield from _of_size(name, *cut, None, at)
    batch = is_ragged(symbol)
    if batch is not None:
        made = (*batch.made, "this loader keeps the last, smaller batch")
        yield Varies(f"axis 0 of `{name}` is shorter in the last batch", (made,))


def _of_size(name: str, axis: int, size: Size, origin: Origin | None, at: At) -> Iterator[Varies]:
    about = f"axis {axis} of `{name}`"
    loops = at.loops(size.marks)
    places = _places((origin, size.origin, *origins(size.affine)), loops)
    if size.constant is not None:
        return
    if size.ragged:
        yield Varies(f"{about} is shorter in the last batch", places)
    elif size.few:
        yield Varies(f"{about} has one of {len(size.few)} sizes: {_listed(size.few)}", places)
    elif is_rounded(size.affine):
        yield Varies(f"{about} is rounded up: it has few sizes", places)
    elif loops:
        yield Varies(f"{about} has another size at each {each_turn(loops, at.path)}", places)


def _listed(sizes: Iterable[int]) -> str:
    *others, last = map(str, sorted(sizes))
    return f"{', '.join(others)} or {last}"


def _places(origins: Sequence[Origin | None], loops: Marks) -> tuple[Place, ...]:
    """One for each line."""
    found: dict[tuple[str, int], Place] = {}
    for made in origins:
        if made is not None:
            found.setdefault((made[0], made[1][0]), (*made, "the size comes from here"))
    for place in loop_places(loops):
        found.setdefault((place[0], place[1][0]), place)
    return tuple(found.values())
