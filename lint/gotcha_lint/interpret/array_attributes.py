"""Attributes of arrays: shape, dtype, transposes; all others are methods."""

from __future__ import annotations

from dataclasses import replace

from gotcha_lint.domain.derivative import flows_in
from gotcha_lint.domain.freshness import without_dispatches
from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import (
    UNKNOWN,
    Array,
    Method,
    Number,
    Sequence,
    Size,
    Tuple,
    Value,
    constant,
    only,
    value_of,
)
from gotcha_lint.facts.array_attributes import METHODS, MISSING
from gotcha_lint.interpret.faults.remarks import NO_ATTRIBUTE, remark
from gotcha_lint.interpret.machine import Machine
from gotcha_lint.interpret.promotion import part_dtype
from gotcha_lint.program.data_flow import names_used, steps_of
from gotcha_lint.program.ir import Function

_GUARDS = frozenset(("hasattr", "getattr", "isinstance", "type"))
_ANY_SIZE = Value((Number("int", 0),))


def array_attribute(machine: Machine, array: Array, value: Value, name: str, span: Span) -> Value:
    shape = array.shape
    if name == "shape":
        if shape is None:
            marks = without_dispatches(value.marks)  # the host knows a size, and no slope is in it
            return only(Sequence(_ANY_SIZE.marked(marks - flows_in(marks)), Size()))
        return only(Tuple(tuple(value_of(size) for size in shape)))
    if name in ("T", "mT"):
        turned = None if shape is None else tuple(reversed(shape))
        return only(replace(array, shape=turned), value.marks)
    if name == "ndim":
        return constant(len(shape)) if shape is not None else only(Number("int", 0, 10))
    if name == "dtype":
        return constant(array.dtype) if array.dtype else UNKNOWN
    if name == "size":
        return _count(shape)
    if name in ("real", "imag"):
        dtype = part_dtype(array.dtype)
        part = array if dtype == array.dtype else replace(array, dtype=dtype)
        return Value((part,), False, value.marks)
    if name in MISSING and array.place != "host":
        _check_missing(machine, value, name, span)
    if machine.differentiated and name not in METHODS:  # of a class that holds arrays
        return Value((), True, value.marks)
    return only(Method(Value((array,), False, value.marks), name, machine.origin(span)))


def _check_missing(machine: Machine, value: Value, name: str, span: Span) -> None:
    """An attribute that no array has, unless the program asks for it or catches the error."""
    function = machine.activation.function
    if value.only is None or machine.trying or not _GUARDS.isdisjoint(names_used(function)):
        return
    if not _is_of_at(function, name, span):
        remark(machine, NO_ATTRIBUTE, span, name)


def _is_of_at(function: Function, name: str, span: Span) -> bool:
    """`x.at[i].set`, of an `x` of which little is known, is one of the methods of `at`."""
    made = {i[1]: i for i in steps_of(function)}
    read = next((i for i in made.values() if i[0] == "attr" and i[3] == name and i[-1] == span), ())
    item = made.get(read[2], ()) if read else ()
    owner = made.get(item[2], ()) if item and item[0] == "item" else ()
    return bool(owner) and owner[0] == "attr" and owner[3] == "at"


def _count(shape: tuple[Size, ...] | None) -> Value:
    count = 1
    for size in shape or ():
        if size.constant is None:
            return _ANY_SIZE
        count *= size.constant
    return constant(count) if shape is not None else _ANY_SIZE
