"""NumPy arrays that a loop makes longer, and copies whole in each turn (floor `patterns`).

Must, where the loop has many turns; a loop over a few things that are written out does not count,
nor do arrays that get one number in each turn: they stay small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gotcha_lint.program.array_updates import growth
from gotcha_lint.program.data_flow import has_loop, names_used
from gotcha_lint.program.ir import Function, Instruction, Module, Region, Register, Span
from gotcha_lint.program.reader import NamedReader

_JOINS = frozenset(("append", "concatenate", "vstack", "hstack", "dstack", "insert"))
_NUMBERS = frozenset(("float", "int", "bool", "item", "len"))


@dataclass(frozen=True)
class CopiedArrays:
    """`names`: the arrays, as they are written; `word`: what the first is made longer by."""

    span: Span
    names: tuple[str, ...]
    word: str
    loop: Span


def copied_arrays(module: Module, function: Function) -> Iterator[CopiedArrays]:
    """The arrays of one function that grow in its own loops, by loop."""
    if _JOINS.isdisjoint(names_used(function)) or not has_loop(function):
        return
    reader = NamedReader(module, function)
    by_loop: dict[Span, CopiedArrays] = {}
    for loop, call in _calls_in_loops(function.body, None):
        library, _, word = reader.dotted(call[2]).rpartition(".")
        if library != "numpy" or word not in _JOINS or _is_short(reader, loop):
            continue
        if any(_is_number(reader, register) for _, register in call[3][1:2]):
            continue
        grown = growth(function, call[-1], None)
        if grown is not None and grown.in_loop:
            first = by_loop.setdefault(loop[-1], CopiedArrays(call[-1], (), word, loop[-1]))
            if grown.name not in first.names:
                by_loop[loop[-1]] = replace(first, names=(*first.names, grown.name))
    yield from by_loop.values()


def _calls_in_loops(
    code: Region, loop: Instruction | None
) -> Iterator[tuple[Instruction, Instruction]]:
    """Each call that a loop repeats, with the innermost loop around it."""
    for instruction in code:
        if instruction[0] == "call" and loop is not None:
            yield loop, instruction
        around = instruction if instruction[0] in ("for", "while") else loop
        for operand in instruction:
            if isinstance(operand, list):
                for part in operand:
                    yield from _calls_in_loops(part if isinstance(part, list) else [part], around)


def _is_number(reader: NamedReader, register: Register) -> bool:
    """`float(loss)`, `loss.item()`"""
    made = reader.made(register)
    callee = reader.makers.get(made[2]) if made is not None and made[0] == "call" else None
    if callee is None:
        return made is not None and made[0] == "const"
    return (callee[3] if callee[0] == "attr" else callee[2]) in _NUMBERS


def _is_short(reader: NamedReader, loop: Instruction) -> bool:
    """It goes over things that are written out, as `for name in ("train", "test")`."""
    if loop[0] != "for":
        return False
    made = reader.made(loop[2])
    return made is not None and made[0] in ("build", "dict", "const")
