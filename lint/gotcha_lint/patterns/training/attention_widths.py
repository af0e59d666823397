"""Attention that is given the width of one head as that of all (floor `patterns`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gotcha_lint.patterns.same_value import bare, written
from gotcha_lint.patterns.training.layer_arguments import name_of, tokens_of
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function, Instruction, Module, Register, Span
from gotcha_lint.program.reader import NamedReader

_PLACE = {  # of `qkv_features`, which counts all heads
    "flax.linen.MultiHeadDotProductAttention": 3,
    "flax.linen.MultiHeadAttention": 3,
    "flax.linen.SelfAttention": 3,
    "flax.nnx.MultiHeadAttention": 2,
}
_HEADS, _WIDTH = "num_heads", "qkv_features"
_LAYERS = frozenset(name.rpartition(".")[2] for name in _PLACE)
_WIDTHS = frozenset(("dim", "size", "width", "features", "channels", "d", "per", "ch", "c", "k"))


@dataclass(frozen=True)
class HeadWidth:
    """`what`: how the width is written; `layer`: in short."""

    span: Span
    layer: str
    what: str


def head_widths(module: Module, function: Function) -> Iterator[HeadWidth]:
    """The layers of one function whose `qkv_features` is a quotient by their number of heads."""
    if _LAYERS.isdisjoint(names_used(function)):
        return
    reader = NamedReader(module, function)
    for call in steps_of(function):
        name = reader.dotted(call[2]) if call[0] == "call" else ""
        if name not in _PLACE or any(star for star, _ in call[3]):
            continue
        heads, width = given(call, 0, _HEADS), given(call, _PLACE[name], _WIDTH)
        if heads is None or width is None or _is_one(reader, heads):
            continue
        what = _of_one_head(reader, heads, width)
        if what:
            yield HeadWidth(call[-1], ".".join(name.split(".")[-2:]), what)


def given(call: Instruction, place: int, keyword: str) -> Register | None:
    """An argument of a call, by position or by name."""
    if place < len(call[3]):
        return call[3][place][1]
    return next((register for key, register in call[4] if key == keyword), None)


def _is_one(reader: NamedReader, heads: Register) -> bool:
    made = reader.made(heads)
    return made is not None and made[0] == "const" and made[2] == 1


def _of_one_head(reader: NamedReader, heads: Register, width: Register) -> str:
    made = reader.made(bare(reader, width))
    word = name_of(reader, reader.makers.get(width))
    if made is not None and made[0] == "binop":
        by = written(reader, made[4])
        if made[2] not in ("FloorDiv", "Div") or by is None or by != written(reader, heads):
            return ""
        return f"`{word}`, a quotient by the number of heads" if word else "a quotient by it"
    tokens = tokens_of(word)
    if "head" in tokens and tokens & _WIDTHS:
        return f"`{word}`"
    return ""
