"""The two parts of the carry of an LSTM, in the wrong order (floor `patterns`).

By names and unpacking within one function. A part that was unpacked from the carry of a cell is
known by its place; any other by its name (may): `h`, `hidden`, `state_h`, and `c`, `cell`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gotcha_lint.program.data_flow import steps_of, used_registers
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted, spelled


class Cell(NamedTuple):
    """`order`: of the parts; `place` and `keyword`: of the carry among the arguments of a call.

    `beside`: does a call give the output beside the new carry?
    """

    order: tuple[str, str]
    place: int
    keyword: str
    beside: bool


_FLAX = Cell(("c", "h"), 0, "carry", True)
# From the sources of flax 0.12 and equinox 0.13; `initialize_carry` of Flax has the same order.
CELLS: dict[str, Cell] = {
    "flax.linen.LSTMCell": _FLAX,
    "flax.linen.OptimizedLSTMCell": _FLAX,
    "flax.linen.ConvLSTMCell": _FLAX,
    "flax.nnx.LSTMCell": _FLAX,
    "flax.nnx.OptimizedLSTMCell": _FLAX,
    "equinox.nn.LSTMCell": Cell(("h", "c"), 1, "hidden", False),
}
_UNROLLED = frozenset(("flax.linen.RNN", "flax.nnx.RNN"))
_LIFTED = frozenset(("flax.linen.scan", "flax.linen.jit", "flax.linen.remat", "flax.linen.vmap"))
_FIRST = "initialize_carry"
_WORDS = {
    "h": frozenset(("h", "h0", "ht", "hx", "hn", "hidden", "hid")),
    "c": frozenset(("c", "c0", "ct", "cx", "cn", "cell")),
}
_DEPTH = 3

Carries = dict[Register, tuple[Cell, str]]
"""The registers that hold a carry, with the cell that gave it and its library."""


@dataclass(frozen=True)
class Swapped:
    """`given`: to a cell, else taken from one; `parts`: the parts as they are written."""

    span: Span
    library: str
    order: tuple[str, str]
    given: bool
    parts: tuple[str, str]


def swapped_carries(origins: Origins, function: Function) -> Iterator[Swapped]:
    """`lstm((h, c), x)` and `(h, c), y = lstm(carry, x)` of Flax."""
    calls = [i for i in steps_of(function) if i[0] == "call"]
    carries: Carries = {}
    for call in calls:
        found = _cell(origins, function, call[2], _DEPTH)
        if found is not None:
            library, cell, unrolled = found
            if not unrolled:
                carries.update(_carries(function, call, cell, library))
            pair = _given(origins, function, call, cell, unrolled)
            if pair is not None and _is_swapped(origins, function, pair, cell, carries):
                yield _swapped(origins, function, pair, library, cell)
            continue
        made = origins.links.makers(function).get(call[2])
        if made is not None and made[0] == "attr" and made[3] == _FIRST:
            found = _cell(origins, function, made[2], _DEPTH)
            if found is not None:
                carries[call[1]] = found[1], found[0]
    yield from _taken(origins, function, carries)


def _cell(
    origins: Origins, function: Function, register: Register, left: int
) -> tuple[str, Cell, bool] | None:
    """The class of a cell, and whether a loop over it is called: `nn.RNN(nn.LSTMCell(8))`."""
    found = origins.of(function, register)
    if found is None or not left:
        return None
    owner, made = found
    if isinstance(made, str) or made[0] != "call":
        return None
    name = origins.names.of_call(owner, made)
    if name in CELLS:
        return name.partition(".")[0], CELLS[name], False
    first = made[3][0][1] if made[3] and not made[3][0][0] else dict(made[4]).get("cell")
    if name in _UNROLLED and first is not None:
        inner = _cell(origins, owner, first, left - 1)
        return None if inner is None else (inner[0], inner[1], True)
    lifted = origins.links.makers(owner).get(made[2])  # nn.scan(nn.LSTMCell, ...)(8)
    if lifted is None or lifted[0] != "call" or not lifted[3]:
        return None
    if origins.names.of_call(owner, lifted) in _LIFTED:
        name = origins.of_argument(owner, lifted)
        if name in CELLS:
            return name.partition(".")[0], CELLS[name], False
    return None


def _carries(
    function: Function, call: Instruction, cell: Cell, library: str
) -> Iterator[tuple[Register, tuple[Cell, str]]]:
    """The registers that hold the new carry of a call."""
    if not cell.beside:
        yield call[1], (cell, library)
        return
    for i in steps_of(function):
        if i[0] == "unpack" and i[2] == call[1] and len(i[3]) == 2 and i[4] is None:
            yield i[3][0], (cell, library)


def _given(
    origins: Origins, function: Function, call: Instruction, cell: Cell, unrolled: bool
) -> Instruction | None:
    """The tuple of two parts that a call is given as the carry."""
    keyword = "initial_carry" if unrolled else cell.keyword
    register = dict(call[4]).get(keyword)
    if register is None and not unrolled and len(call[3]) > cell.place:
        if any(star for star, _ in call[3]):
            return None
        register = call[3][cell.place][1]
    if register is None:
        return None
    made = origins.reader(function).made(register)
    is_pair = made is not None and made[0] == "build" and made[2] == "tuple" and len(made[3]) == 2
    return made if is_pair else None


def _is_swapped(
    origins: Origins, function: Function, pair: Instruction, cell: Cell, carries: Carries
) -> bool:
    """By the places that the parts were unpacked from; where that is not known, by their names."""
    makers = origins.links.makers(function)
    first, second = (register for _, register in pair[3])
    unpacked = [_unpacked(origins, function, one) for one in (first, second)]
    (source, place), (other, beside) = unpacked
    if source is not None and source == other:
        return (place, beside) == (1, 0) and _carry_of(
            origins, function, source, carries
        ) is not None
    names = {dotted(makers, one) for one in (first, second)}
    if source is not None or other is not None or names & _unpacked_names(function):
        return False
    made = [origins.reader(function).made(one) for one in (first, second)]
    words = {spelled(makers, one[1], 1000) for one in made if one is not None and one[0] == "call"}
    if len(words) == 1:
        return False  # both are zeros
    return (_part(dotted(makers, first)), _part(dotted(makers, second))) == cell.order[::-1]


def _unpacked(
    origins: Origins, function: Function, register: Register
) -> tuple[Register | None, int]:
    """What a name was unpacked from, and at which place."""
    made = origins.links.makers(function).get(register)
    if made is None or made[0] != "load":
        return None, 0
    stored = origins.reader(function).stored(made)
    for i in steps_of(function):
        if i[0] == "unpack" and stored in i[3]:
            return i[2], i[3].index(stored)
    return None, 0


def _unpacked_names(function: Function) -> set[str]:
    """The names that an unpacking binds somewhere in the function."""
    held = {r for i in steps_of(function) if i[0] == "unpack" for r in i[3]}
    return {i[2] for i in steps_of(function) if i[0] == "store" and i[4] in held}


def _carry_of(
    origins: Origins, function: Function, register: Register, carries: Carries
) -> tuple[Cell, str] | None:
    """The cell whose carry a register holds."""
    made = origins.links.makers(function).get(register)
    if register not in carries and made is not None and made[0] == "load":
        stored = origins.reader(function).stored(made)
        return carries.get(stored) if stored is not None else None
    return carries.get(register)


def _taken(origins: Origins, function: Function, carries: Carries) -> Iterator[Swapped]:
    """`(h, c), y = lstm(carry, x)` of Flax, where `h` is read for its own sake."""
    for i in steps_of(function):
        if i[0] != "unpack" or len(i[3]) != 2 or i[4] is not None:
            continue
        found = _carry_of(origins, function, i[2], carries)
        names = [_name_of(function, register) for register in i[3]]
        if found is None or tuple(map(_part, names)) != found[0].order[::-1]:
            continue
        hidden = names[found[0].order[::-1].index("h")]
        if _is_read_alone(origins, function, hidden, set(names)):
            yield Swapped(i[-1], found[1], found[0].order, False, (names[0], names[1]))


def _name_of(function: Function, register: Register) -> str:
    return next((i[2] for i in steps_of(function) if i[0] == "store" and i[4] == register), "")


def _is_read_alone(origins: Origins, function: Function, name: str, pair: set[str]) -> bool:
    """Is it read for anything but the next carry?"""
    makers = origins.links.makers(function)
    loads = {i[1] for i in steps_of(function) if i[0] == "load" and i[2] == name}
    for i in steps_of(function):
        if i[0] == "build" and {dotted(makers, register) for _, register in i[3]} == pair:
            continue
        if i[0] in ("return", "yield") and i[2] in loads:
            return True
        if i[0] not in ("load", "return", "yield") and used_registers(i) & loads:
            return True
    return False


def _part(name: str) -> str:
    """ "h" or "c"; "" for what is neither, or both."""
    words = set(re.split(r"[_.]", name.rpartition(".")[2].lower()))
    found = [part for part, known in _WORDS.items() if not known.isdisjoint(words)]
    return found[0] if len(found) == 1 else ""


def _swapped(
    origins: Origins, function: Function, pair: Instruction, library: str, cell: Cell
) -> Swapped:
    makers = origins.links.makers(function)
    (_, first), (_, second) = pair[3]
    parts = spelled(makers, first), spelled(makers, second)
    return Swapped(pair[-1], library, cell.order, True, parts)
