"""Reads the instructions of a program: flat, or as lines of text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from gotcha_lint.program.ir import Function, Instruction, Module, Region
from gotcha_lint.program.parse import parse


def lowered(text: str) -> Module:
    return parse("some.py", "some", textwrap.dedent(text))


def flat(region: Region) -> Iterator[Instruction]:
    """All instructions, those of inner regions behind the one that holds them."""
    for instruction in region:
        yield instruction
        for inner in regions(instruction):
            yield from flat(inner)


def regions(instruction: Instruction) -> Iterator[Region]:
    for operand in instruction:
        if isinstance(operand, list):
            if operand and isinstance(operand[0], list):
                yield from operand  # the handlers of `try`
            else:
                yield operand


def bodies(module: Module) -> Iterator[Function]:
    """All functions, with the bodies of classes."""
    yield from module.functions
    for function in module.functions:
        yield from _classes(function)


def _classes(function: Function) -> Iterator[Function]:
    for instruction in flat(function.body):
        if instruction[0] == "class":
            yield instruction[2]
            yield from _classes(instruction[2])


def instructions(module: Module) -> Iterator[Instruction]:
    for function in bodies(module):
        yield from flat(function.body)


def dump(region: Region, depth: int = 0) -> str:
    """One line for each instruction, without spans: `register op operands`."""
    lines: list[str] = []
    for op, register, *operands, _ in region:
        shown = [_shown(operand) for operand in operands if not isinstance(operand, list)]
        lines.append(f"{'  ' * depth}{register} {' '.join([op, *shown])}")
        for inner in regions((op, register, *operands)):
            lines.append(f"{'  ' * depth}  :")
            lines.append(dump(inner, depth + 1))
    return "\n".join(line for line in lines if line)


def _shown(operand: Any) -> str:
    return operand.qualname if isinstance(operand, Function) else repr(operand).replace(" ", "")
