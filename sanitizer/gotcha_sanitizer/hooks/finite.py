"""Is what a read has given finite? Cheap, and silent where it cannot be told.

Infinity counts only in a single number: an array may well hold some, as the mask of an attention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gotcha_sanitizer.hooks import readiness

_SMALL = 256  # elements: larger arrays are not looked at
_LONG = 4096  # characters
_LOOKED, _COPIED = 1024, 2**16  # elements that are looked at; bytes that are copied


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
    """Of a memoryview; JAX writes its type as `f`, or as `=f` since 0.11."""
    if value.nbytes > 8 * _SMALL or value.format.lstrip("=<@") not in ("e", "f", "d"):
        return True
    return of_array(np.asarray(value))


def of_text(value: Any) -> bool:
    """For what an array prints: no other word in it has these letters."""
    return len(value) > _LONG or "nan" not in value


def has_nan(array: Any) -> bool | None:
    """Of a device array; None where looking could wait, copy much, or leave a copy behind.

    On the CPU the array's own memory is read, of a large one at most 1,024 elements. From another
    device, and of one that is the same on several devices, small ones are copied.
    """
    try:
        with readiness.reading:
            if not readiness.is_ready(array) or not array.is_fully_replicated:
                return None
            here = len(array.sharding.device_set) == 1 and readiness.is_on_cpu(array)
            if not here and array.nbytes > _COPIED:
                return None
            flat = np.asarray(array if here else array.addressable_data(0)).reshape(-1)
            return bool(np.isnan(flat[:: max(1, flat.size // _LOOKED)]).any())
    except Exception:  # donated meanwhile; a dtype that numpy does not know
        return None


LOOK: dict[str, Callable[[Any], bool]] = {
    "item": of_number,
    "__array__": of_array,
    "__buffer__": of_buffer,
    "__format__": of_text,
    "__str__": of_text,
    "__repr__": of_text,
}
