"""`np.mgrid[:h, :w]`: the coordinates of a grid, one row for each axis."""

from __future__ import annotations

from gotcha_lint.domain.sites import Span
from gotcha_lint.domain.value import Array, Size, Tuple, Value, fixed, only, size_from
from gotcha_lint.interpret.indexing import is_slice
from gotcha_lint.interpret.machine import Machine

GRIDS = frozenset(("numpy.mgrid", "jax.numpy.mgrid"))


def grid(machine: Machine, name: str, key: Value, span: Span) -> Value:
    """The array that it gives; a size that is not plain is not known."""
    atom = key.only
    one = is_slice(key)
    if not one and not (isinstance(atom, Tuple) and all(map(is_slice, atom.items))):
        return Value((), True, key.marks)
    parts = (key,) if one or not isinstance(atom, Tuple) else atom.items
    sizes = tuple(map(_size, parts))
    host = name.startswith("numpy.")
    whole = all(size.constant is not None for size in sizes)
    dtype = (
        ("int64" if host else "int32") if whole else None
    )  # a float as a bound makes it floating
    shape = sizes if one else (fixed(len(sizes)), *sizes)
    array = Array(dtype, False, shape, "host" if host else "device", machine.origin(span))
    return only(array, key.marks)


def _size(part: Value) -> Size:
    """Of `:stop` and `start:stop`."""
    atom = part.only
    if not isinstance(atom, Tuple):
        return Size()
    _, start, stop, step = atom.items
    first, last = start.constant, stop.constant
    if not step.is_none:
        return Size(marks=part.marks)
    if type(last) is int and (start.is_none or type(first) is int):
        return fixed(max(last - (first if type(first) is int else 0), 0))
    return size_from(stop) if start.is_none or first == 0 else Size(marks=part.marks)
