"""Rows or columns that are taken from an array, and then read by their numbers in it.

By the text of one function (floor `patterns`). It under-approximates: the loop runs over the very
name that the rows were taken with, and the name of the result is bound once, apart from `None`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import Makers, dotted

_TAKES = frozenset(("jax.numpy.take", "numpy.take"))
_LABELS = (".loc", ".iloc", ".at", ".iat")  # of Pandas
_WRAPPED = frozenset(("list", "tuple"))


@dataclass(frozen=True)
class Misread:
    """`taken[index]`, where `taken` was made of `source` by the numbers `numbers`."""

    span: Span
    taken: str
    source: str
    numbers: str
    index: str
    made: Span


def misread_arrays(origins: Origins, function: Function) -> Iterator[Misread]:
    """`for i in columns: taken[..., i]`, after `taken = jnp.take(x, columns, axis=-1)`."""
    makers = origins.links.makers(function)
    for loop in steps_of(function):
        if loop[0] != "for":
            continue
        numbers, place = _numbers(origins, function, loop[2])
        index = _target(loop, place) if numbers else ""
        if not index or _is_bound(loop, index):
            continue
        for read in instructions(loop[4]):
            if read[0] != "item":
                continue
            axis = _axis(makers, read[3], index)
            taken = dotted(makers, read[2])
            found = _taken(origins, function, taken, numbers) if axis is not None else None
            if found is not None and found[1] == axis:
                source, _, made = found
                yield Misread(read[-1], taken, source, numbers, index.partition("%")[0], made)


def _numbers(origins: Origins, function: Function, register: Register) -> tuple[str, int | None]:
    """What a loop runs over, and where its elements stand: 1 of `enumerate(columns)`."""
    makers = origins.links.makers(function)
    made = makers.get(register)
    if made is not None and made[0] == "call" and dotted(makers, made[2]) == "enumerate":
        return (dotted(makers, made[3][0][1]), 1) if made[3] else ("", None)
    return dotted(makers, register), None


def _target(loop: Instruction, place: int | None) -> str:
    """The name that a loop binds to each number."""
    register = loop[3]
    if place is not None:
        parts = next((i[3] for i in loop[4] if i[0] == "unpack" and i[2] == register), ())
        if len(parts) <= place:
            return ""
        register = parts[place]
    return next((i[2] for i in loop[4] if i[0] == "store" and i[4] == register), "")


def _is_bound(loop: Instruction, name: str) -> bool:
    """... again in the loop?"""
    return sum(i[0] == "store" and i[2] == name for i in instructions(loop[4])) > 1


def _axis(makers: Makers, key: Register, name: str) -> int | None:
    """The axis that a key reads by a name or, in dots, by an attribute; None for no such key."""
    made = makers.get(key)
    if made is None:
        return None
    if made[0] != "build" or made[2] != "tuple":
        return 0 if _is(makers, key, name) else None
    if any(star for star, _ in made[3]):
        return None
    parts = [register for _, register in made[3]]
    places = [n for n, part in enumerate(parts) if _is(makers, part, name)]
    if len(places) != 1:
        return None
    before, after = parts[: places[0]], parts[places[0] + 1 :]
    if any(_is_ellipsis(makers, part) for part in before):
        return -1 - sum(not _is_new_axis(makers, part) for part in after)
    return sum(not _is_new_axis(makers, part) for part in before)


def _is(makers: Makers, register: Register, name: str) -> bool:
    made = makers.get(register)
    if made is not None and made[0] == "load":
        return made[2] == name
    if made is not None and made[0] == "call" and len(made[3]) == 1:  # jnp.asarray(columns)
        word = dotted(makers, made[2]).rpartition(".")[2]
        return word in ("asarray", "array", *_WRAPPED) and _is(makers, made[3][0][1], name)
    return dotted(makers, register) == name


def _is_ellipsis(makers: Makers, register: Register) -> bool:
    made = makers.get(register)
    return made is not None and made[0] == "const" and made[2] is Ellipsis


def _is_new_axis(makers: Makers, register: Register) -> bool:
    made = makers.get(register)
    is_none = made is not None and made[0] == "const" and made[2] is None
    return is_none or dotted(makers, register).endswith("newaxis")


def _taken(
    origins: Origins, function: Function, name: str, numbers: str
) -> tuple[str, int, Span] | None:
    """From which array, along which axis and where the name was taken by these numbers."""
    makers = origins.links.makers(function)
    stores = origins.links.stores(function)
    made = [makers.get(register) for register in stores.get(name, ())]
    made = [one for one in made if one is None or one[0] != "const" or one[2] is not None]
    if not name or len(made) != 1 or made[0] is None or len(stores.get(numbers, ())) > 1:
        return None
    step = _unwrapped(makers, made[0])
    if step[0] == "item":
        axis = _axis(makers, step[3], numbers)
        source = dotted(makers, step[2])
        if source.endswith(_LABELS) or not (axis or _is_array(origins, function, step[2])):
            return None
    elif step[0] == "call" and origins.names.of_call(function, step) in _TAKES:
        given = [register for _, register in step[3]]
        if len(given) < 2 or not _is(makers, given[1], numbers):
            return None
        along = given[2] if len(given) > 2 else dict(step[4]).get("axis")
        axis, source = _whole(makers, along), dotted(makers, given[0])
    else:
        return None
    if axis is None or source == name:
        return None
    return source or "the array", axis, step[-1]


def _is_array(origins: Origins, function: Function, register: Register) -> bool:
    """Is it made by NumPy or JAX? `frame[columns]` of Pandas keeps the names of its columns."""
    return origins.library(function, register).startswith(("jax.numpy.", "numpy.", "jax.random."))


def _unwrapped(makers: Makers, step: Instruction) -> Instruction:
    """What is cast: `jnp.take(x, columns).astype(jnp.int32)`."""
    callee = makers.get(step[2]) if step[0] == "call" else None
    if callee is not None and callee[0] == "attr" and callee[3] in ("astype", "copy"):
        return makers.get(callee[2]) or step
    return step


def _whole(makers: Makers, register: Register | None) -> int | None:
    """A number as it is written; 0 where none is."""
    if register is None:
        return 0
    made = makers.get(register)
    if made is not None and made[0] == "unop" and made[2] == "USub":
        inner = makers.get(made[3])
        return -inner[2] if inner is not None and inner[0] == "const" else None
    return made[2] if made is not None and made[0] == "const" and type(made[2]) is int else None
