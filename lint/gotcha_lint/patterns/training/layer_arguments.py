"""Layers that are given by position what another library has there (floor `patterns`).

Each argument has a kind: a flag, a small number, a size, a type. What it is given has one, too,
where it is a literal, a part of a shape, or has a name that says so; nothing else counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.facts.layer_arguments import (
    AXES,
    AXIS,
    CLOSED,
    COUNTS,
    DIVIDES,
    FLAG,
    KIND_OF,
    POSITIONAL,
    SIZE,
    SMALL,
    TYPE,
    WINDOW,
)
from gotcha_lint.program.data_flow import steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_LAYER = frozenset(name.rpartition(".")[2] for name in POSITIONAL)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIZES = frozenset(
    ("features", "channels", "dim", "dims", "width", "hidden", "size", "units", "embd", "embed",
     "filters", "classes", "neurons", "outputs", "inputs", "vocab", "heads", "groups", "ff",
     "embeddings", "nodes")
)  # fmt: skip
_COUNTED = frozenset(("n", "num", "nb"))
_WHOLE = frozenset(("d_model", "d_ff", "nhid", "ninp", "nhead"))
_SMALL = frozenset(("eps", "epsilon", "momentum", "rate", "dropout", "prob", "drop", "droprate"))
_FLAGS = frozenset(("deterministic", "train", "training", "testing", "inference", "eval"))
_NOT_CHANNELS = frozenset(("kernel", "patch", "window", "filter", "stride", "k"))
_WRONG = {  # what an argument of a kind cannot be
    FLAG: (SIZE, SMALL, TYPE),
    SMALL: (SIZE, FLAG, TYPE),
    SIZE: (SMALL, FLAG, TYPE),
    TYPE: (SIZE, SMALL, FLAG),
    AXES: (FLAG, SMALL),
    AXIS: (SMALL, FLAG, TYPE),
}
_LARGE = 8  # no axis has this number, few kernels are as wide
_DEPTH = 6
_TYPES = re.compile(r"(jax\.)?numpy\.(b?float|u?int|complex|bool)\d*_?$")


@dataclass(frozen=True)
class Misplaced:
    """`field`: the argument that gets it; `what`: words for what it is given; `layer`: in short.

    `order`: the positional arguments. `raises`: there is no such place.
    """

    span: Span
    layer: str
    field: str
    what: str
    order: tuple[str, ...]
    raises: bool = False


def misplaced_arguments(module: Module, function: Function) -> Iterator[Misplaced]:
    """The calls of one function: each layer once."""
    if not any(i[0] in ("attr", "load") and i[3 if i[0] == "attr" else 2] in _LAYER
               for i in steps_of(function)):  # fmt: skip
        return
    reader = NamedReader(module, function)
    for call in steps_of(function):
        if call[0] != "call" or not call[3] or any(star for star, _ in call[3]):
            continue
        name = reader.dotted(call[2])
        fields = POSITIONAL.get(name)
        if fields is not None:
            found = _first(reader, call, name, fields)
            if found is not None:
                yield found


def _first(
    reader: NamedReader, call: Instruction, name: str, fields: tuple[str, ...]
) -> Misplaced | None:
    registers = [register for _, register in call[3]]
    layer = ".".join(name.split(".")[-2:])
    given = [_Given(reader, register) for register in registers]
    if name.startswith(CLOSED) and len(given) > len(fields):
        what = given[len(fields)].words
        return Misplaced(call[-1], layer, "", what, fields, raises=True)
    pairs = list(zip(fields, given, strict=False))
    for field, value in pairs:
        if _is_wrong(field, value, pairs):
            return Misplaced(call[-1], layer, field, value.words, fields)
    return _exchanged(call, layer, fields, pairs)


def _is_wrong(field: str, value: _Given, pairs: list[tuple[str, _Given]]) -> bool:
    kind = KIND_OF.get(field, "")
    if value.kind in _WRONG.get(kind, ()):
        return not (kind == SMALL and value.number in (0, 1))
    if kind == AXIS:
        return value.kind == SIZE and (value.number or 0) >= _LARGE
    if field == "group_size":
        return value.kind == SIZE and value.number is None and pairs[0][1].kind == SIZE
    if kind == WINDOW:
        return _is_channels(value, pairs)
    return False


def _is_channels(value: _Given, pairs: list[tuple[str, _Given]]) -> bool:
    """The number of channels, where the kernel is due; what follows is the kernel."""
    if pairs[0][0] not in ("features", "output_channels") or len(pairs) != 3:
        return False
    after = pairs[2][1]
    if value.tuple_of or not (value.number is None or value.number >= _LARGE):
        return False
    if value.number is None and (value.kind != SIZE or value.tokens & _NOT_CHANNELS):
        return False
    return bool(after.tuple_of) or "kernel" in after.tokens or 1 < (after.number or 0) < _LARGE


def _exchanged(
    call: Instruction, layer: str, fields: tuple[str, ...], pairs: list[tuple[str, _Given]]
) -> Misplaced | None:
    """Two sizes, each where the other belongs."""
    for field, value in pairs:
        counted = COUNTS.get(field)
        if counted is None:
            continue
        others = [one for one in pairs if one[0] != field and KIND_OF.get(one[0]) == SIZE]
        for other, there in others:
            named = value.kind == SIZE and value.tokens and not value.tokens & counted
            if named and there.tokens & counted:
                return Misplaced(call[-1], layer, other, there.words, fields)
            if other in DIVIDES.get(field, "").split():
                both = value.number, there.number
                if both[0] is not None and both[1] is not None and both[0] > both[1]:
                    return Misplaced(call[-1], layer, field, value.words, fields)
    return None


class _Given:
    """What an argument is given, as far as the text says."""

    def __init__(self, reader: NamedReader, register: Register) -> None:
        self._reader = reader
        self.tokens: frozenset[str] = frozenset()
        self.number: float | None = None
        self.tuple_of = 0
        self.words = "another value"
        self.kind = self._kind(register, 0)

    def _kind(self, register: Register, depth: int) -> str:
        reader = self._reader
        named = reader.makers.get(register)
        word = name_of(reader, named)
        if depth == 0 and word:
            self.tokens = tokens_of(word)
            self.words = f"`{word}`"
        made = reader.made(register)
        kind = self._of_value(made, depth) if made is not None else ""
        return kind or (_kind_of_name(word) if word else "")

    def _of_value(self, made: Instruction, depth: int) -> str:
        operation = made[0]
        if operation == "const":
            return self._of_constant(made[2], depth)
        if operation == "unop":
            return self._of_sign(made, depth)
        if operation == "compare":
            return FLAG
        if operation == "attr" and _TYPES.match(self._reader.dotted(made[1])):
            return TYPE
        if operation == "build":
            self.tuple_of = len(made[3]) if depth == 0 else self.tuple_of
        if operation == "item":
            base = self._reader.makers.get(made[2])
            if name_of(self._reader, base) == "shape" and base is not None and base[0] == "attr":
                self._say("a part of a shape", depth)
                return SIZE
        if operation == "binop" and depth < _DEPTH and made[2] in ("Mult", "FloorDiv", "Add"):
            inner = [self._kind(register, depth + 1) for register in made[3:5]]
            if SIZE in inner and SMALL not in inner:
                self._say("a size", depth)
                return SIZE
        return ""

    def _of_sign(self, made: Instruction, depth: int) -> str:
        if made[2] == "Not":
            self._say("a flag", depth)
            return FLAG
        return ""

    def _of_constant(self, value: object, depth: int) -> str:
        if isinstance(value, (bool, int, float)):
            self._say(f"`{value}`", depth)
        if isinstance(value, bool):
            return FLAG
        if isinstance(value, int):
            self.number = value if depth == 0 else self.number
            return SIZE if value > 1 or depth else ""
        return SMALL if isinstance(value, float) and not value.is_integer() else ""

    def _say(self, words: str, depth: int) -> None:
        if depth == 0 and not self.tokens:
            self.words = words


def name_of(reader: NamedReader, i: Instruction | None) -> str:
    """Of a variable, an attribute, or the key of a configuration; else ""."""
    if i is None:
        return ""
    if i[0] == "item":
        key = reader.makers.get(i[3])
        return key[2] if key is not None and key[0] == "const" and isinstance(key[2], str) else ""
    if i[0] == "load":
        return i[2].partition("%")[0]
    return i[3] if i[0] == "attr" else ""


def tokens_of(word: str) -> frozenset[str]:
    """`hidden_dim` and `hiddenDim`: hidden, dim."""
    return frozenset(_CAPITAL.sub("_", word).lower().strip("_").split("_"))


def _kind_of_name(word: str) -> str:
    words = _CAPITAL.sub("_", word).lower().strip("_").split("_")
    last = words[-1]
    if last in _SMALL:
        return SMALL
    if last in _FLAGS or words[:2] == ["is", "training"]:
        return FLAG
    if last == "dtype":
        return TYPE
    counted = words[0] in _COUNTED and len(words) > 1
    return SIZE if counted or last in _SIZES or "_".join(words) in _WHOLE else ""
