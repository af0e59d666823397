"""Ranges that go on to the end of the data, by how they are written: the last step may be short."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.syntax import names_in, walk

_LENGTHS = frozenset({"len", "shape", "size", "drop_last", "drop_remainder"})


def yields_rest(call: cst.CSTNode, function: cst.CSTNode) -> bool:
    """`range(0, len(x), size)` in a function that never asks what is left."""
    if not isinstance(call, cst.Call) or len(call.args) != 3 or not is_length(call.args[1].value):
        return False
    return not any(map(_asks, walk(function)))


def is_length(node: cst.CSTNode | None) -> bool:
    match node:
        case cst.Call(func=cst.Name(value="len")):
            return True
        case cst.Subscript(value=cst.Attribute(attr=cst.Name(value="shape"))):
            return True
    return False


def _asks(part: cst.CSTNode) -> bool:
    """A test of a length, a remainder, or rows that are added or filled up."""
    match part:
        case cst.Modulo() | cst.ModuloAssign():
            return True
        case cst.If(test=test) | cst.IfExp(test=test) | cst.While(test=test):
            return not names_in(test).isdisjoint(_LENGTHS)
        case cst.Name(value=name):
            return "pad" in name.lower()
    return False
