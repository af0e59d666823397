"""Is what a read has given finite? Cheap, and silent where it cannot be told.

Infinity counts only in a single number: an array may well hold some, as the mask of an attention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_SMALL = 256  # elements: larger arrays are not looked at
_LONG = 4096  # characters


def of_number(value: Any) -> bool:
    kind = type(value)
    return value - value == 0.0 if kind is float or kind is complex else True


def of_array(value: Any) -> bool:
    if type(value) is not np.ndarray or value.dtype.kind not in "fc" or value.size > _SMALL:
        return True
    if value.size == 1:
        return of_number(value.item())
    return not np.isnan(value).any()


def of_buffer(value: Any) -> bool:
    if value.nbytes > 8 * _SMALL or value.format not in ("e", "f", "d"):
        return True
    if value.ndim == 0:
        return of_number(value[()])
    return of_array(np.asarray(value))


def of_text(value: Any) -> bool:
    """For what an array prints: no other word in it has these letters."""
    return len(value) > _LONG or "nan" not in value


LOOK: dict[str, Callable[[Any], bool]] = {
    "item": of_number,
    "__array__": of_array,
    "__buffer__": of_buffer,
    "__format__": of_text,
    "__str__": of_text,
    "__repr__": of_text,
}
