"""The functions of one file as they are written, for rules that need no more (see `ir`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module
from gotcha_lint.program.origins import Origins


@dataclass(frozen=True, slots=True)
class Text:
    """`origins` says which call of a library has made a value, where there is one answer."""

    module: Module
    origins: Origins

    def steps(self, operation: str) -> Iterator[tuple[Function, Instruction]]:
        """The instructions of one kind, with the functions that they are in."""
        for function in self.origins.links.bodies(self.module):
            for step in steps_of(function):
                if step[0] == operation:
                    yield function, step
