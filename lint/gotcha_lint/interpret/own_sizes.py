"""Sizes that data decide: the longest of a batch, the rows that pass a test, a list that grows.

Such a size is a symbol of its own, so that sums of it stay exact: `longest + -longest % 64` is a
multiple of 64. An array whose rank is not known says in its elements that its rows are such.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gotcha_lint.domain import affine
from gotcha_lint.domain.affine import Affine
from gotcha_lint.domain.sites import Origin
from gotcha_lint.domain.value import INFINITY, Array, Elements, Marks, Size, Value, only

OWN = "own"
ROWS = "rows"
LONGEST = "longest"


def own_size(what: str, origin: Origin | None) -> Affine:
    """`what`: "longest", "selection", "history"."""
    return affine.symbol((OWN, what, origin))


def is_own(name: Any) -> bool:
    """A part of a sum: also where it is limited, and not where it is rounded to a few sizes."""
    if not isinstance(name, tuple) or not name:
        return False
    if name[0] in ("min", "max"):
        return any(is_own(inner) for form in name[1:] for inner, _ in form[0])
    return bool(name[0] == OWN)


def origins(form: Affine | None, what: str = "") -> Iterator[Origin]:
    """Where the data are that decide the size, as the longest of a batch; `what`: those alone."""
    for name, _ in () if form is None else form[0]:
        if not isinstance(name, tuple) or not name:
            continue
        if name[0] == OWN and name[2] is not None and what in ("", name[1]):
            yield name[2]
        elif name[0] in ("min", "max"):
            for inner in name[1:]:
                yield from origins(inner, what)


def is_rounded(form: Affine | None) -> bool:
    """A multiple of a quotient of such a size: it takes few values."""
    names = () if form is None else form[0]
    return bool(names) and all(isinstance(n, tuple) and n[:1] == ("//",) for n, _ in names)


def with_rows(array: Array, what: str, axis: int = 0) -> Array:
    made = Elements(made=(ROWS, what, axis))
    return Array(array.dtype, array.weak, None, array.place, array.origin, None, made)


def rows_of(array: Array, marks: Marks) -> tuple[int, Size] | None:
    """An axis of an array whose shape is not known otherwise, and its size."""
    made = array.elements.made if array.elements is not None else ""
    if array.shape is not None or not isinstance(made, tuple) or made[0] != ROWS:
        return None
    form = own_size(made[1], array.origin)
    return made[2], Size(0, INFINITY, marks, None, form, None, array.origin)


def row_of(array: Array) -> Array:
    """One row, or what an index takes: not as long as all of them."""
    made = array.elements.made if array.elements is not None else ""
    if not isinstance(made, tuple) or made[0] != ROWS:
        return array
    return replace(array, elements=None)


def of_rows(found: Value, what: str, axis: int, size: Size) -> Value:
    """An array of the elements of a list: one of its axes has this size, which varies."""
    atom = found.only
    if not isinstance(atom, Array) or atom.shape is not None or not size.marks:
        return found
    return only(with_rows(atom, what, axis), found.marks | size.marks)


def has_own(size: Size) -> bool:
    names = size.affine[0] if size.affine is not None else ()
    return any(is_own(name) for name, _ in names)
