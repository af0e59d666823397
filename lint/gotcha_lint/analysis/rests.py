"""Ranges that go on to the end of the data, by how they are written: the last step may be short."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.syntax import dotted, last_word, names_in, walk

_LENGTHS = frozenset({"len", "shape", "size", "drop_last", "drop_remainder"})


def yields_rest(call: cst.CSTNode, function: cst.CSTNode) -> bool:
    """`range(0, len(x), size)`, `range(ceil(n / size))`: in a function that never asks for more."""
    if not isinstance(call, cst.Call):
        return False
    match [arg.value for arg in call.args]:
        case [_, stop, _] if is_length(stop):
            return not any(map(_asks, walk(function)))
        case [count] if is_rounded_up(count):
            return not any(map(_asks, walk(function)))
    return False


def is_rounded_up(node: cst.BaseExpression) -> bool:
    """`-(-n // size)`, `(n + size - 1) // size`, `math.ceil(n / size)`: the last part is a rest."""
    match node:
        case cst.Call(func=cst.Name(value="int"), args=[cst.Arg(value=inner)]):
            return is_rounded_up(inner)
        case cst.Call(args=[cst.Arg(value=cst.BinaryOperation(operator=cst.Divide()))]):
            return last_word(node.func) == "ceil"
        case cst.UnaryOperation(
            operator=cst.Minus(),
            expression=cst.BinaryOperation(
                left=cst.UnaryOperation(operator=cst.Minus()), operator=cst.FloorDivide()
            ),
        ):
            return True
        case cst.BinaryOperation(
            left=cst.BinaryOperation() as sum_, operator=cst.FloorDivide(), right=size
        ):
            return dotted(size) is not None and dotted(size) in _terms(sum_)
    return False


def _terms(node: cst.BinaryOperation) -> set[str | None]:
    """What is added up in `n + size - 1` and `n - 1 + size`."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Add() | cst.Subtract(), right=right):
            more = _terms(left) if isinstance(left, cst.BinaryOperation) else {dotted(left)}
            return more | {dotted(right)}
    return set()


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
