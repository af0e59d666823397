"""Operands whose shapes do not fit: what raises, and what silently becomes another shape.

Must: only sizes that are known to differ are compared; under `vmap` and `pmap`, whose axes come and
go, nothing is.
"""

from __future__ import annotations

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Array, Size, Value
from gotcha_lint.interpret.faults.remarks import remark
from gotcha_lint.interpret.indexing import Shape
from gotcha_lint.interpret.machine import Machine

SHAPES = "shapes"  # of operands that do not fit
_SPREADING = frozenset(("Sub", "Eq", "NotEq"))  # for which all pairs are never meant


def check_operands(machine: Machine, operator: str, x: Value, y: Value, span: Span) -> None:
    """`x operator y`, or a loss of the two."""
    a, b = x.only, y.only
    if not isinstance(a, Array) or not isinstance(b, Array) or machine.per_device:
        return
    if a.shape is None or b.shape is None:
        return
    if operator in _SPREADING:
        _spreads(machine, a, b, span)
    if {a.place, b.place} & {"device"} and not _broadcasts(a.shape, b.shape):
        _raises(machine, a, b, span)


def check_product(machine: Machine, x: Value, y: Value, span: Span) -> None:
    """`x @ y`: the last axis of one, the last but one of the other."""
    a, b = x.only, y.only
    if not isinstance(a, Array) or not isinstance(b, Array) or not a.shape or not b.shape:
        return
    if machine.per_device or not {a.place, b.place} & {"device"}:
        return
    inner, outer = a.shape[-1], b.shape[-2:][0]
    if _differ(inner, outer):
        _raises(machine, a, b, span)


def _broadcasts(a: Shape, b: Shape) -> bool:
    """May the shapes be made one? No only where two sizes are known."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return not any(_differ(x, y) and 1 not in (x.constant, y.constant) for x, y in pairs)


def _differ(a: Size, b: Size) -> bool:
    return a.constant is not None and b.constant is not None and a.constant != b.constant


def _raises(machine: Machine, a: Array, b: Array, span: Span) -> None:
    words = [_written(each.shape or ()) for each in (a, b)]
    places = [
        (*each.origin, f"of shape {word} here")
        for each, word in zip((a, b), words, strict=True)
        if each.origin is not None
    ]
    remark(machine, SHAPES, span, *words, places=tuple(places))


def _written(shape: Shape) -> str:
    sizes = ["?" if size.constant is None else str(size.constant) for size in shape]
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _spreads(machine: Machine, a: Array, b: Array, span: Span) -> None:
    """`(n,) - (n, 1)` is `(n, n)`."""
    if a.shape is None or b.shape is None or len(a.shape) + len(b.shape) != 3:
        return
    if not a.shape or not b.shape:
        return
    row, column = (a, b) if len(a.shape) == 1 else (b, a)
    if row.shape is None or column.shape is None or column.shape[1].constant != 1:
        return
    made_of = column.elements.made if column.elements is not None else ""
    if isinstance(made_of, tuple) and made_of[0] == "expanded":
        return
    one, other = row.shape[0], column.shape[0]
    if one.constant == 1 or not _is_same_size(one, other):
        return
    made = [(*each.origin, f"of shape {word} here") for each, word in
            ((row, "(n,)"), (column, "(n, 1)")) if each.origin is not None]  # fmt: skip
    remark(machine, "broadcast", span, places=tuple(made))


def _is_same_size(a: Size, b: Size) -> bool:
    if a.constant is not None or b.constant is not None:
        return a.constant == b.constant
    return a.affine is not None and a.affine == b.affine
