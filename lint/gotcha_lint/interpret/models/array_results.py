"""The table of models of functions that NumPy and `jax.numpy` share; the arrays that they give.

`host` says that the result is an array of NumPy, with its wide types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gotcha_lint.domain.value import (
    NO_MARKS,
    Array,
    Value,
    join_sizes,
    only,
)
from gotcha_lint.domain.value import Sequence as SequenceOf
from gotcha_lint.interpret.arrays import (
    Shape,
    canonical_dtype,
)
from gotcha_lint.interpret.call import Call
from gotcha_lint.interpret.containers.growing import only_grows
from gotcha_lint.interpret.heap import Contents, contents, element_of
from gotcha_lint.interpret.own_sizes import LONGEST, has_own, of_rows, rows_of
from gotcha_lint.interpret.promotion import WIDE

ArrayFunction = Callable[[Call, bool], Value]

FUNCTIONS: dict[str, ArrayFunction] = {}


def function(*names: str) -> Callable[[ArrayFunction], ArrayFunction]:
    """Registers the model of functions that have these names in NumPy and `jax.numpy`."""

    def register(of: ArrayFunction) -> ArrayFunction:
        for name in names:
            FUNCTIONS[name] = of
        return of

    return register


def array_of(
    call: Call,
    host: bool,
    dtype: str | None,
    shape: Shape | None,
    marks: frozenset[object] = NO_MARKS,
    weak: bool = False,
) -> Value:
    """An array of this dtype, shape and marks, made by this call; None is not known."""
    place = "host" if host else "device"
    return only(
        Array(canonical_dtype(dtype, host), weak and not host, shape, place, call.origin), marks
    )


def default_dtype(kind: str, host: bool) -> str:
    """The dtype of numbers of this kind where none is given: NumPy's are wide."""
    return WIDE[kind] if host else kind


def common_shape(arrays: Sequence[Array]) -> Shape | None:
    """The shape of arrays that are stacked: it must be the same."""
    shape = arrays[0].shape
    for other in arrays[1:]:
        if shape is None or other.shape is None or len(other.shape) != len(shape):
            return None
        shape = tuple(join_sizes(a, b) for a, b in zip(shape, other.shape, strict=True))
    return shape


def with_rows(call: Call, out: Value, value: Value, content: Contents) -> Value:
    """Of a list that grows, or of rows that are as long as the longest of them."""
    grown = only_grows(call.engine, value)
    if grown is not None:
        return of_rows(out, "history", 0, grown)
    element = element_of(content)
    inner = contents(call.engine, element)
    if isinstance(inner, SequenceOf) and has_own(inner.size):
        marks = inner.size.marks | element.marks | value.marks
        return of_rows(out, LONGEST, 1, replace(inner.size, marks=marks))
    if isinstance(content, SequenceOf) and has_own(content.size):
        marks = content.size.marks | value.marks
        return of_rows(out, LONGEST, 0, replace(content.size, marks=marks))
    if call.short == "stack" and isinstance(row := element.only, Array):
        rows = rows_of(row, element.marks | value.marks)
        if rows is not None:
            return of_rows(out, LONGEST, rows[0] + 1, rows[1])
    return out
