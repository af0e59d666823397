"""A few elements of what was sorted as a whole: `jnp.argsort(x)[-5:]` (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import spelled

# How many arguments come before the axis.
_POSITIONS = {
    "jax.numpy.sort": 1,
    "jax.numpy.argsort": 1,
    "jax.numpy.partition": 2,
    "jax.numpy.argpartition": 2,
}
_NAMES = ("load", "attr")
_END = "end"

Makers = Mapping[Register, Instruction]


@dataclass(frozen=True)
class FewOfSorted:
    """`called`: the sort, as it is written; `at_end`: the largest ones are taken."""

    span: Span
    called: str
    at_end: bool


def few_of_sorted(origins: Origins, function: Function) -> Iterator[FewOfSorted]:
    """Must: nothing else of the sorted array is read. An array under a name is read once."""
    makers = origins.links.makers(function)
    for i in steps_of(function):
        side = _side(makers, i[3]) if i[0] == "item" else ""
        if not side:
            continue
        base, turned = i[2], False
        above = makers.get(base)
        if above is not None and above[0] == "item" and _is_reversal(makers, above[3]):
            base, turned = above[2], True
        call = _sorted(function, makers, base)
        if call is None or not _is_of_last_axis(makers, call, origins.called(function, call)):
            continue
        yield FewOfSorted(i[-1], spelled(dict(makers), call[2]), (side == _END) != turned)


def _sorted(function: Function, makers: Makers, base: Register) -> Instruction | None:
    """The call that made it; through a name that is stored and read once."""
    made = makers.get(base)
    if made is not None and made[0] == "load" and made[3] == 0:
        name = made[2]
        stores = [i for i in steps_of(function) if i[0] == "store" and i[2] == name]
        loads = [i for i in steps_of(function) if i[0] == "load" and i[2] == name]
        if len(stores) != 1 or len(loads) != 1 or name in function.captured:
            return None
        made = makers.get(stores[0][4])
    return made if made is not None and made[0] == "call" else None


def _is_of_last_axis(makers: Makers, call: Instruction, name: str) -> bool:
    """Does it sort upwards, along the last axis?"""
    if name not in _POSITIONS or len(call[3]) > _POSITIONS[name]:
        return False
    options = dict(call[4])
    if not options.keys() <= {"axis", "stable", "kind", "kth"}:
        return False
    return "axis" not in options or _is_last(makers, makers.get(options["axis"]))


def _is_last(makers: Makers, axis: Instruction | None) -> bool:
    if axis is None or axis[0] != "unop" or axis[2] != "USub":
        return False
    number = makers.get(axis[3])
    return number is not None and number[0] == "const" and number[2] == 1


def _side(makers: Makers, key: Register) -> str:
    """ "start" or "end", where the key takes some elements there of the last axis; else ""."""
    made = makers.get(key)
    if made is not None and made[0] == "build" and made[2] == "tuple":
        *others, (starred, last) = made[3] or ((True, -1),)
        if starred or not all(_is_whole(makers, register) for _, register in others):
            return ""
        made = makers.get(last)
    if made is None:
        return ""
    if made[0] == "unop":  # the k-th largest
        number = makers.get(made[3])
        named = number is not None and number[0] in _NAMES
        return _END if made[2] == "USub" and named else ""
    if made[0] != "slice" or made[4] is not None:
        return ""
    start, stop = (None if part is None else makers.get(part) for part in made[2:4])
    if made[3] is None and start is not None and start[0] == "unop" and start[2] == "USub":
        return _END if _is_count(makers.get(start[3])) else ""
    return "start" if made[2] is None and _is_count(stop) else ""


def _is_count(made: Instruction | None) -> bool:
    if made is None:
        return False
    return made[0] in _NAMES or (made[0] == "const" and type(made[2]) is int and made[2] > 0)


def _is_whole(makers: Makers, register: Register) -> bool:
    made = makers.get(register)
    if made is None:
        return False
    if made[0] == "slice":
        return made[2:5] == (None, None, None)
    return made[0] == "const" and made[2] is Ellipsis


def _is_reversal(makers: Makers, key: Register) -> bool:
    """`[::-1]`, `[:, ::-1]`"""
    made = makers.get(key)
    if made is not None and made[0] == "build" and made[2] == "tuple" and made[3]:
        made = makers.get(made[3][-1][1])
    if made is None or made[0] != "slice" or made[2:4] != (None, None) or made[4] is None:
        return False
    return _is_last(makers, makers.get(made[4]))
