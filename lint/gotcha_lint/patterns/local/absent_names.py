"""`if hasattr(jax, "gone"):` without another way: its block never runs (floor `patterns`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.removed import REMOVED, row_of
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.full_names import FullNames
from gotcha_lint.program.ir import Function, Instruction, Region, Register, Span
from gotcha_lint.program.links import Links
from gotcha_lint.program.reader import Reader

_ASKING = {"hasattr": 2, "getattr": 3}  # with so many arguments
_LEAVES = frozenset(("return", "raise", "continue", "break", "yield", "class", "delete"))
_NAME = re.compile(r"\w+(?:\.\w+)+")


@dataclass(frozen=True)
class Absent:
    name: str
    span: Span  # of the question


def absent_names(links: Links, function: Function) -> Iterator[Absent]:
    """Of one function: where nothing reads what the block makes, or does the same beside it."""
    if not any(i[0] == "load" and i[2] in _ASKING for i in steps_of(function)):
        return
    reader, names = Reader(function), FullNames(links)
    for block in _alone(function.body, False):
        for part in _joined(reader, block[2]):
            name = _asked(reader, names, part)
            if name not in REMOVED or not _uses(reader, block[3], part, name):
                continue
            if _does_nothing_else(function, block, name):
                yield Absent(name, reader.makers[part][-1])


def _alone(code: Region, chained: bool) -> Iterator[Instruction]:
    """The `if`s without `else` or `elif`, which are not an `elif` themselves."""
    for i in code:
        if i[0] == "if" and not i[4] and i[3] and not chained:
            yield i
        for place, part in enumerate(i):
            if isinstance(part, list):
                nested = part and isinstance(part[0], list)
                for region in part if nested else [part]:
                    yield from _alone(region, i[0] == "if" and place == 4)


def _joined(reader: Reader, test: Register) -> Iterator[Register]:
    """The conditions that `and` joins."""
    made = reader.makers.get(test)
    if made is None or made[0] != "load" or not made[2].startswith("%"):
        yield test
        return
    for i in steps_of(reader.function):
        if i[0] != "if" or not (i[3] and i[4]):
            continue
        then, otherwise = i[3][-1], i[4][-1]
        if then[0] == "store" and then[2] == made[2] and otherwise[4:5] == (i[2],):
            yield from (*_joined(reader, i[2]), *_joined(reader, then[4]))


def _asked(reader: Reader, names: FullNames, part: Register) -> str:
    """What `hasattr(x, "n")`, `getattr(x, "n", None)`, that `is not None` asks for, in full."""
    made = reader.made(part)
    if (
        made is not None
        and made[0] == "compare"
        and made[2] == "IsNot"
        and _is_none(reader, made[4])
    ):
        made = reader.made(made[3])
    if made is None or made[0] != "call" or made[4] or any(star for star, _ in made[3]):
        return ""
    callee = reader.makers.get(made[2])
    if callee is None or callee[0] != "load" or _ASKING.get(callee[2]) != len(made[3]):
        return ""
    owner, word, *default = (register for _, register in made[3])
    if default and not _is_none(reader, default[0]):
        return ""
    asked = reader.makers.get(word)
    base, words = names.parts(reader.function, owner)
    if not base or asked is None or asked[0] != "const" or row_of(base, REMOVED) is not None:
        return ""
    return ".".join((base, *words, str(asked[2])))


def _is_none(reader: Reader, register: Register) -> bool:
    made = reader.makers.get(register)
    return made is not None and made[0] == "const" and made[2] is None


def _uses(reader: Reader, block: Region, part: Register, name: str) -> bool:
    """The block works with what was asked for; a class is asked for to tell old objects."""
    first, last = reader.makers[part][-1][:2], reader.makers[part][-1][2:]
    inside = [i for i in steps_of(reader.function) if first <= i[-1][:2] and i[-1][2:] <= last]
    word = name.rpartition(".")[2]
    own = {word} | (set(_mentioned(inside)) - {*_ASKING, *name.split(".")})
    return word.islower() and not own.isdisjoint(_mentioned(instructions(block)))


def _does_nothing_else(function: Function, block: Instruction, name: str) -> bool:
    """Nothing reads what the block makes, and nothing beside it does the same in another way.

    Another file may read the names of a module.
    """
    code = list(instructions(block[3]))
    if any(i[0] in _LEAVES or (i[0] == "closure" and i[2].name != "<lambda>") for i in code):
        return False
    made = {i[1]: i for i in steps_of(function)}
    kept = {word for i in code for word in _kept(i, made)}
    if kept and function.is_module:
        return False
    new = _NAME.search(REMOVED[name].instead)
    if new is not None:
        word = new[0].rpartition(".")[2]
        kept |= {word, repr(word)}
    inside = {id(i) for i in code}
    outside = [i for i in _whole(function) if id(i) not in inside and not _within(i, block)]
    by_version = any(
        i[0] == "if" and i[2] in made and _asks_version(function, made[i[2]][-1]) for i in outside
    )
    return "" not in kept and kept.isdisjoint(_mentioned(outside)) and not by_version


def _within(i: Instruction, block: Instruction) -> bool:
    span: Span = block[-1]
    return span[:2] <= i[-1][:2] and i[-1][2:] <= span[2:]


def _whole(function: Function) -> Iterator[Instruction]:
    """Its instructions, and those of the functions in it."""
    for i in steps_of(function):
        yield i
        if i[0] in ("closure", "class"):
            yield from _whole(i[2])


def _asks_version(function: Function, test: Span) -> bool:
    return any(
        "version" in str(i[3] if i[0] == "attr" else i[2])
        for i in steps_of(function)
        if i[0] in ("load", "attr") and test[:2] <= i[-1][:2] and i[-1][2:] <= test[2:]
    )


def _kept(i: Instruction, made: dict[Register, Instruction]) -> Iterator[str]:
    """The names that it sets, keys in quotes; "" for what else it stores in."""
    if i[0] == "store" and "%" not in i[2]:
        yield i[2]
    elif i[0] == "setattr":
        yield ""
    elif i[0] == "setitem":
        key = made.get(i[3])
        known = key is not None and key[0] == "const" and isinstance(key[2], str)
        yield repr(key[2]) if known and key is not None else ""


def _mentioned(code: Iterator[Instruction] | list[Instruction]) -> Iterator[str]:
    """Names, and strings in quotes."""
    for i in code:
        if i[0] in ("load", "store"):
            yield i[2]
        elif i[0] in ("attr", "setattr"):
            yield i[3]
        elif i[0] == "const" and isinstance(i[2], str):
            yield repr(i[2])
        elif i[0] == "import" and i[4]:
            yield i[4]
