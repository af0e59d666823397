"""Slices as values: `low:high:step` is a tuple of four items, of which the first is a mark."""

from __future__ import annotations

from gotcha_lint.domain.value import (
    NONE,
    Tuple,
    Value,
)

SLICE = "%slice"


def is_slice(value: Value) -> bool:
    atom = value.only
    return isinstance(atom, Tuple) and len(atom.items) == 4 and atom.items[0].constant == SLICE


def slice_parts(value: Value) -> tuple[Value, Value, Value]:
    """Low, high and step of a slice."""
    atom = value.only
    if isinstance(atom, Tuple) and len(atom.items) == 4:
        return atom.items[1], atom.items[2], atom.items[3]
    return NONE, NONE, NONE


def constant_slice(key: Value) -> slice | None:
    parts = slice_parts(key)
    for part in parts:
        if not part.is_none and type(part.constant) is not int:
            return None
    low, high, step = (part.constant for part in parts)
    return None if step == 0 else slice(low, high, step)
