"""Flags of Python that `~` is to invert (floor `patterns`).

`~True` is -2 and `~False` is -1: both are true. Must, by the name of the flag and of the argument
that it is given to: a mode that Python branches on is no array.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.flags import MODES
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Span
from gotcha_lint.program.reader import Reader

_INVERT = "Invert"


@dataclass(frozen=True)
class InvertedFlag:
    """`name`: the flag; `argument`: what it is given as."""

    span: Span
    name: str
    argument: str


def inverted_flags(function: Function) -> Iterator[InvertedFlag]:
    """`drop(x, deterministic=~training)`, in one function."""
    if not any(i[0] == "unop" and i[2] == _INVERT for i in steps_of(function)):
        return
    reader = Reader(function)
    for call in steps_of(function):
        for argument, register in call[4] if call[0] == "call" else ():
            made = reader.makers.get(register)
            if argument not in MODES or made is None or made[0] != "unop" or made[2] != _INVERT:
                continue
            flag = reader.makers.get(made[3])
            name = "" if flag is None else {"load": flag[2], "attr": flag[3]}.get(flag[0], "")
            if name in MODES:
                yield InvertedFlag(made[-1], name, argument)
