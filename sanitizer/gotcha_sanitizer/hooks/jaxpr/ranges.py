"""What an array holds: whether it is finite, and its range. Reads it on the host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_FLOATS = ("float", "bfloat", "complex")


@dataclass(frozen=True)
class Range:
    """An operand: `low` and `high` are those of its finite elements (None where there are none)."""

    dtype: str
    shape: tuple[int, ...]
    low: float | None
    high: float | None
    nans: int
    infs: int


def look_at(array: Any) -> Range | None:
    """None for what is not a number, or lies on devices of other processes."""
    dtype = str(getattr(array, "dtype", ""))
    if not dtype.startswith((*_FLOATS, "int", "uint")):
        return None
    if not getattr(array, "is_fully_addressable", True):
        return None
    host = np.asarray(array)
    finite = np.isfinite(host)
    kept = np.abs(host[finite]) if np.iscomplexobj(host) else host[finite]
    nans = int(np.isnan(host).sum())
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (None, None)
    return Range(dtype, host.shape, low, high, nans, int(host.size - finite.sum()) - nans)


def flags(array: Any) -> tuple[bool, bool]:
    """Whether it has a NaN, and an infinity."""
    dtype = str(getattr(array, "dtype", type(array).__name__))
    if not dtype.startswith(_FLOATS):
        return False, False
    if not getattr(array, "is_fully_addressable", True):
        return False, False
    host = np.asarray(array)
    if np.isfinite(host).all():
        return False, False
    return bool(np.isnan(host).any()), bool(np.isinf(host).any())
