"""Padding up to the next multiple that adds a whole block to what is a multiple (`patterns`; must).

`size - n % size` is `size`, and not 0, where `size` divides `n`. It under-approximates: only what
pads counts, by `pad`, by rows of zeros, by a loop that appends, or by its name; a condition or a
comparison that reads the remainder, or what is computed of it, takes care of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import instructions, steps_of, used_registers
from gotcha_lint.program.enclosing import enclosing
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.reader import Reader
from gotcha_lint.program.spelled import spelled

_PADS = frozenset(("pad", "zeros", "ones", "full", "repeat", "tile", "zeros_like", "full_like"))
_LOOPS = frozenset(("range", "arange"))
_ADDS = frozenset(("append", "extend", "write", "add"))
_LONGEST = 200


@dataclass(frozen=True)
class WholePadding:
    """`size - whole % size`"""

    span: Span
    size: str
    whole: str


def whole_paddings(function: Function) -> Iterator[WholePadding]:
    found = [i for i in steps_of(function) if i[0] == "binop" and i[2] == "Sub"]
    if not any(i[0] == "binop" and i[2] == "Mod" for i in steps_of(function)):
        return
    reader = Reader(function)
    for i in found:
        rest = reader.made(i[4])
        if rest is None or rest[0] != "binop" or rest[2] != "Mod":
            continue
        size = spelled(reader.makers, i[3], _LONGEST)
        if "..." in size or size != spelled(reader.makers, rest[4], _LONGEST):
            continue
        if _pads(reader, i) and not _is_cared_for(reader, i, rest):
            yield WholePadding(i[-1], size, spelled(reader.makers, rest[3]))


def _names(reader: Reader, register: Register) -> set[str]:
    """The names that are bound to a value."""
    return {s[2] for stores in reader.stores.values() for s in stores if s[4] == register}


def _held(reader: Reader, value: Instruction) -> set[Register]:
    """The registers that hold a value, also through names."""
    names = _names(reader, value[1])
    loads = {
        i[1]
        for i in steps_of(reader.function)
        if i[0] == "load" and i[2] in names and reader.made(i[1]) is value
    }
    return {value[1], *loads}


def _pads(reader: Reader, number: Instruction) -> bool:
    if any("pad" in name.lower() for name in _names(reader, number[1])):
        return True
    held = _held(reader, number)
    for i in steps_of(reader.function):
        if i[0] == "build" and any(register in held for _, register in i[3]):
            held.add(i[1])  # a shape, or the widths of each axis
        elif i[0] == "call" and used_registers(i) & held:
            word = reader.function_of(i)
            if word in _PADS or (word in _LOOPS and _appends(reader, i)):
                return True
    return False


def _appends(reader: Reader, counted: Instruction) -> bool:
    """`for _ in range(missing): rows.append(zero)`"""
    for loop in steps_of(reader.function):
        if loop[0] == "for" and loop[2] == counted[1]:
            calls = (i for i in instructions(loop[4]) if i[0] == "call")
            return any(reader.function_of(call) in _ADDS for call in calls)
    return False


def _is_cared_for(reader: Reader, number: Instruction, rest: Instruction) -> bool:
    """Is it taken modulo again, or does a test read it or the remainder?"""
    held, remainder = _held(reader, number), _held(reader, rest)
    text = spelled(reader.makers, rest[1], _LONGEST)
    for i in steps_of(reader.function):
        if i[0] == "binop" and i[2] == "Mod" and i[3] in held:
            return True
        if i[0] == "compare" and {i[3], i[4]} & (held | remainder):
            return True
        if i[0] in ("if", "while", "assert"):
            place = 3 if i[0] == "while" else 2
            test: Register = i[place]
            made = reader.makers.get(test)
            below = used_registers(made) if made is not None else set[Hashable]()
            read = {test, *(r for r in below if isinstance(r, int))}
            if read & (held | remainder):
                return True
            if any(spelled(reader.makers, r, _LONGEST) == text for r in read):
                return True
    return any(block[0] == "if" and _reads_modulo(reader, block[2], 3)
               for block, _ in enclosing(reader.function)[id(number)])  # fmt: skip


def _reads_modulo(reader: Reader, register: Register, left: int) -> bool:
    made = reader.made(register)
    if made is None or not left:
        return False
    if made[0] == "binop" and made[2] == "Mod":
        return True
    below = (r for r in used_registers(made) if isinstance(r, int))
    return any(_reads_modulo(reader, r, left - 1) for r in below)
