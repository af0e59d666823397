"""Random keys for evaluations that cannot know the program's own.

Of an argument such as `jax.random.fold_in(key, step)` only the key of the first call is at hand.
With that key in each evaluation all would draw the same numbers, and what one draw makes by chance
would seem to happen always. They are drawn by NumPy, from the first key, so a run can be repeated.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gotcha_sanitizer.hooks import private

_RAW = ("uint32", (2,))


def is_typed(array: Any) -> bool:
    return str(getattr(array, "dtype", "")).startswith("key<")


def is_key(array: Any) -> bool:
    """A typed key, several of them, or a raw one."""
    return is_typed(array) or (
        (str(getattr(array, "dtype", "")), tuple(getattr(array, "shape", ()))) == _RAW
    )


def another(jax: Any, array: Any, number: int) -> Any:
    """A key of the same kind for evaluation `number`; what is no key is given back as it is."""
    if not is_key(array):
        return array
    if not is_typed(array):
        return numbers(np.asarray(array), number)
    held = getattr(array, private.KEY_DATA)
    if not held.is_fully_addressable:
        return array
    new = numbers(np.asarray(held), number)
    return jax.random.wrap_key_data(new, impl=jax.random.key_impl(array))


def numbers(data: np.ndarray, number: int) -> np.ndarray:
    """What such a key consists of."""
    source = np.random.default_rng([number, *data.reshape(-1)[:4].tolist()])
    return source.integers(0, 2**32, size=data.shape, dtype=np.uint32)
