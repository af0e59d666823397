"""Handlers of errors that arrays of JAX never raise (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.local.arrays import NUMPY, is_array
from gotcha_lint.patterns.local.releases import kinds
from gotcha_lint.program.data_flow import instructions, steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins
from gotcha_lint.program.spelled import dotted

_ALGEBRA = ("jax.numpy.linalg.", "jax.scipy.linalg.")
_QUIET = frozenset(("print", "len", "range"))
_DIVIDES = frozenset(("Div", "FloorDiv", "Mod"))


@dataclass(frozen=True)
class VainHandler:
    """`caught`: as it is written."""

    span: Span
    error: str
    caught: str


def vain_handlers(origins: Origins, function: Function) -> Iterator[VainHandler]:
    """Those of one function around nothing that raises: anything unknown may."""
    for i in steps_of(function):
        if i[0] != "try":
            continue
        body = _Body(origins, function, list(instructions(i[2])))
        for handler in i[3]:
            start = next((step for step in handler if step[0] == "caught"), None)
            if start is None or start[2] is None:
                continue
            caught = set(kinds(body.reader.makers, start[2]))
            if (caught == {"LinAlgError"} and body.is_algebra()) or (
                caught == {"ZeroDivisionError"} and body.divides_arrays()
            ):
                text = dotted(body.reader.makers, start[2]) or caught.copy().pop()
                yield VainHandler(start[-1], caught.pop(), text)


class _Body:
    def __init__(self, origins: Origins, function: Function, code: list[Instruction]) -> None:
        self.origins, self.function, self.code = origins, function, code
        self.reader = origins.reader(function)

    def is_algebra(self) -> bool:
        """Linear algebra of JAX, and nothing that is not known."""
        return any(name.startswith(_ALGEBRA) for name in self._calls()) and self._is_of_jax()

    def divides_arrays(self) -> bool:
        """All that is divided is divided by an array, or is one."""
        divided = [i for i in self.code if i[0] in ("binop", "augment") and i[2] in _DIVIDES]
        sure = all(self._is_array(i[3]) or self._is_array(i[4]) for i in divided)
        return bool(divided) and sure and self._is_of_jax()

    def _calls(self) -> Iterator[str]:
        for i in self.code:
            if i[0] != "call":
                continue
            name = self.origins.names.of_call(self.function, i)
            word = dotted(self.reader.makers, i[2])
            callee = self.reader.makers.get(i[2])
            if not name and callee is not None and callee[0] == "attr":
                name = "jax.numpy." if self._is_array(callee[2]) else ""
            yield name or (word if word in _QUIET else "")

    def _is_of_jax(self) -> bool:
        return all(name.startswith(NUMPY) or name in _QUIET for name in self._calls())

    def _is_array(self, register: Register) -> bool:
        return is_array(self.origins, self.function, register)
