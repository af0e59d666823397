"""Numbers that half precision turns into 1 or 0, by the text of a function (floor `patterns`)."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.halves import FILLS, HALVES, KEEPS, MAKERS
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import spelled

_PLAIN = frozenset(("Add", "Sub", "Mult", "Div"))
_LIBRARIES = frozenset(("jax.numpy", "numpy", "ml_dtypes"))


@dataclass(frozen=True)
class Lost:
    """`beside`: the array that it is computed with, as it is written."""

    span: Span
    number: float
    half: str
    became: float
    beside: str = ""


def lost_constants(origins: Origins, function: Function) -> Iterator[Lost]:
    """Those of one function, and of the names of its module."""
    top = origins.links.finder.modules[function.path].top
    words = names_used(function) | {i[2] for i in steps_of(function) if i[0] == "const"
                                    and isinstance(i[2], str)}  # fmt: skip
    if HALVES.isdisjoint(words) and (function is top or not _has_aliases(top)):
        return
    found = _Halves(origins, function)
    for i in steps_of(function):
        if i[0] == "call":
            register, half = found.filled(i)
            number = found.number(register) if register is not None and half else None
            if number is not None:
                yield from _lost(i, number, half)
        elif i[0] == "binop" and i[2] in _PLAIN:
            for scalar, other in ((i[3], i[4]), (i[4], i[3])):
                number = found.number(scalar)
                half = found.half_of(other) if number is not None and _may_be_lost(number) else ""
                if half and number is not None:
                    beside = spelled(found.reader.makers, other)
                    yield from _lost(i, number, half, beside)


def _has_aliases(top: Function) -> bool:
    """`from jax.numpy import bfloat16 as half`"""
    return any(i[0] == "import" and i[4] in HALVES for i in steps_of(top))


def _lost(i: Instruction, number: float, half: str, beside: str = "") -> Iterator[Lost]:
    became = _rounded(number, half)
    if became in (0.0, 1.0) and became != number:
        yield Lost(i[-1], number, half, became, beside)


def _may_be_lost(number: float) -> bool:
    """In either of the types: asked before types are looked for."""
    return any(_rounded(number, half) in (0.0, 1.0) != number for half in HALVES)


class _Halves:
    def __init__(self, origins: Origins, function: Function) -> None:
        self.origins, self.function = origins, function
        self.reader = origins.reader(function)

    def number(self, register: Register) -> float | None:
        """A float that is written out, here or where the name is assigned."""
        found = self.origins.of(self.function, register)
        made = found[1] if found is not None else None
        if not isinstance(made, tuple) or made[0] != "const":
            return None
        return made[2] if isinstance(made[2], float) else None

    def half_of(self, register: Register) -> str:
        """`bfloat16` or `float16`, if the value is surely an array of it."""
        made = self.reader.made(register)
        if made is None or made[0] != "call" or any(star for star, _ in made[3]):
            return ""
        return self._made(made)

    def filled(self, call: Instruction) -> tuple[Register | None, str]:
        """The number that a call turns into half precision, and which one."""
        name = self.origins.names.of_call(self.function, call)
        half = _type_name(name)
        if half:
            return _argument(call, 0, ""), half
        if name in FILLS:
            return _argument(call, *FILLS[name]), self._made(call)
        if name in KEEPS:
            place, word, at, dtype = KEEPS[name]
            return _argument(call, place, word), self._kind(_argument(call, at, dtype))
        return None, ""

    def _made(self, call: Instruction) -> str:
        name = self.origins.names.of_call(self.function, call)
        half = _type_name(name)
        if half:
            return half
        if not name and self.reader.function_of(call) == "astype":
            return self._kind(_argument(call, 0, "dtype"))
        return self._kind(_argument(call, MAKERS[name], "dtype")) if name in MAKERS else ""

    def _kind(self, register: Register | None) -> str:
        made = self.reader.makers.get(register) if register is not None else None
        if made is not None and made[0] == "const":
            return made[2] if made[2] in HALVES else ""
        if register is None:
            return ""
        return _type_name(self.origins.names.of_register(self.function, register))


def _argument(call: Instruction, place: int, name: str) -> Register | None:
    if place < len(call[3]):
        return call[3][place][1]
    return dict(call[4]).get(name)


def _type_name(name: str) -> str:
    library, _, last = name.rpartition(".")
    return last if library in _LIBRARIES and last in HALVES else ""


def _rounded(number: float, half: str) -> float:
    """The number as it is in half precision."""
    if half == "float16":
        try:
            return struct.unpack("<e", struct.pack("<e", number))[0]
        except OverflowError:
            return math.copysign(math.inf, number)
    try:
        bits = struct.unpack("<I", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
    bits += 0x7FFF + (bits >> 16 & 1)  # to the nearest, ties to even
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
