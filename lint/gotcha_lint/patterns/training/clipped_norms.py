"""What is called a norm, and is given as the bound of each element (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Span
from gotcha_lint.program.reader import NamedReader

_BY_VALUE = "optax.clip"
_FIRST = "max_delta"  # as optax calls it


@dataclass(frozen=True)
class ClippedNorm:
    word: str
    span: Span


def clipped_norms(module: Module, function: Function) -> Iterator[ClippedNorm]:
    """`optax.clip(config.max_grad_norm)`: the bounds of one function that are called a norm."""
    if "clip" not in names_used(function):
        return
    reader = NamedReader(module, function)
    for call in steps_of(function):
        if call[0] != "call" or reader.dotted(call[2]) != _BY_VALUE:
            continue
        given = [register for star, register in call[3][:1] if not star]
        given += [register for key, register in call[4] if key == _FIRST]
        for register in given:
            words = (
                _name(reader, reader.makers.get(register)),
                _name(reader, reader.made(register)),
            )
            word = next((each for each in words if "norm" in each.lower().split("_")), "")
            if word:
                yield ClippedNorm(word, call[-1])


def _name(reader: NamedReader, i: Instruction | None) -> str:
    """Of a variable, an attribute, or the key of a configuration."""
    if i is None:
        return ""
    if i[0] == "item":
        key = reader.makers.get(i[3])
        return str(key[2]) if key is not None and key[0] == "const" else ""
    if i[0] == "load":
        return i[2]
    return i[3] if i[0] == "attr" else ""
