"""Numbers of half precision: which arrays have it, and what becomes of a number in it."""

from __future__ import annotations

import math
import struct

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.halves import FILLS, HALVES, KEEPS, MAKERS

_LIBRARIES = frozenset({"jax.numpy", "numpy", "ml_dtypes"})


def half_of(flowing: Flowing, node: cst.CSTNode) -> str:
    """`bfloat16` or `float16`, if the value is surely an array of it."""
    made, there = flowing.origin(node)
    call = there.body.call_of(made)
    if call is None or call.starred or call.decorator:
        return ""
    return _made(call)


def filled(call: Call) -> tuple[cst.BaseExpression | None, str]:
    """The number that a call turns into half precision, and which one."""
    name = _type_name(call.name)
    if name:
        return call.arg_node(0), name
    if call.name in FILLS:
        kind = _made(call)
        place, word = FILLS[call.name]
        return (call.arg_node(place, word), kind) if kind else (None, "")
    if call.name in KEEPS:
        place, word, at, dtype = KEEPS[call.name]
        kind = _kind(call.arg(at, dtype), call.arg_node(at, dtype))
        return (call.arg_node(place, word), kind) if kind else (None, "")
    return None, ""


def _made(call: Call) -> str:
    name = _type_name(call.name)
    if name:
        return name
    if call.name.rpartition(".")[2] == "astype":
        return _kind(call.arg(0, "dtype"), call.arg_node(0, "dtype"))
    place = MAKERS.get(call.name)
    return _kind(call.arg(place, "dtype"), call.arg_node(place, "dtype")) if place else ""


def _kind(value: Value | None, node: cst.CSTNode | None) -> str:
    if value is not None and value.kind is Kind.NAMED:
        return _type_name(value.of)
    text = literal(node)
    return text if isinstance(text, str) and text in HALVES else ""


def _type_name(name: str) -> str:
    library, _, last = name.rpartition(".")
    return last if library in _LIBRARIES and last in HALVES else ""


def rounded(number: float, half: str) -> float:
    """The number as it is in half precision."""
    if half == "float16":
        try:
            return struct.unpack("<e", struct.pack("<e", number))[0]
        except OverflowError:
            return math.copysign(math.inf, number)
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    bits += 0x7FFF + (bits >> 16 & 1)  # to the nearest, ties to even
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
