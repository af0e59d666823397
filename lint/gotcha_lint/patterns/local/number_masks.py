"""`jnp.sum(x, where=mask)` with a mask of numbers, by the text of its function (`patterns`)."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.numbers import DEFAULTS, MOVING, NUMBERS, REDUCTIONS
from gotcha_lint.patterns.local.releases import prepared
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Register, Span
from gotcha_lint.program.origins import Origins

_NUMBERS = ("float", "bfloat", "int", "uint")
_LIBRARIES = frozenset(("jax.numpy", "numpy", "builtins"))
_METHODS = frozenset(name.rpartition(".")[2] for name in REDUCTIONS if name.startswith("array."))
_MOVES = frozenset(name.rpartition(".")[2] for name in MOVING if name.startswith("array."))
_DEPTH = 3


def number_masks(origins: Origins, function: Function) -> Iterator[tuple[Span, str, str, Span]]:
    """The calls of one function, with the type of the mask, what is called, and what makes it."""
    before = None
    for i in steps_of(function):
        mask = dict(i[4]).get("where") if i[0] == "call" and i[4] else None
        if mask is None:
            continue
        reader = origins.reader(function)
        name, word = origins.names.of_call(function, i), reader.function_of(i)
        if name not in REDUCTIONS and (name or word not in _METHODS):
            continue
        if before is None:
            before = prepared(function, reader.makers, every=True)
        kind = _Types(origins, function).of(mask, _DEPTH)
        made = reader.made(mask)
        if kind and made is not None and before[id(i)] is not None:
            yield i[-1], kind, word, made[-1]


class _Types:
    """The types of arrays that are surely of numbers; "" for what is not known."""

    def __init__(self, origins: Origins, function: Function) -> None:
        self.origins, self.function = origins, function
        self.reader = origins.reader(function)

    def of(self, register: Register, left: int) -> str:
        i = self.reader.made(register)
        if i is None or i[0] != "call" or not left or any(star for star, _ in i[3]):
            return ""
        name, word = self.origins.names.of_call(self.function, i), self.reader.function_of(i)
        if name in MOVING or (not name and word in _MOVES):
            moved = self.reader.operand(i)
            return self.of(moved, left - 1) if moved is not None else ""
        if name == "jax.numpy.where":
            chosen = (self._constant(register) for register in _given(i)[1:3])
            return "float" if any(isinstance(one, float) for one in chosen) else ""
        if not name and word == "astype":
            return self._type(i, 0)
        if name in NUMBERS:
            return word
        if name not in DEFAULTS:
            return ""
        found = self._type(i, DEFAULTS[name])
        bare = len(i[3]) <= DEFAULTS[name] and "dtype" not in dict(i[4])
        return "float32" if bare and word in ("ones", "zeros") else found

    def _type(self, call: Instruction, place: int) -> str:
        """`jnp.float32`, `float`, `"int32"`."""
        register = dict(call[4]).get("dtype", call[3][place][1] if place < len(call[3]) else None)
        if register is None:
            return ""
        text = self._constant(register)
        library, _, name = self.origins.names.of_register(self.function, register).rpartition(".")
        made = self.reader.makers.get(register)
        if made is not None and made[0] == "load" and made[2] in ("float", "int"):
            name, library = made[2], "builtins"
        name = text if isinstance(text, str) else name if library in _LIBRARIES else ""
        return name if name.startswith(_NUMBERS) else ""

    def _constant(self, register: Register) -> object:
        made = self.reader.makers.get(register)
        return made[2] if made is not None and made[0] == "const" else None


def _given(call: Instruction) -> list[Register]:
    return [register for _, register in call[3]]
