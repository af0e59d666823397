"""Is an array computed, asked so that a program that donates it meanwhile is never hurt.

`is_ready` and `platform` of an array that is deleted end the process with a segmentation fault in
jax 0.10.2, and another thread may donate it right after it was asked for `is_deleted`. A thread
gives up the interpreter between two calls of Python's, but not inside of one C function: both
methods are C functions, and so both questions are asked within a single call of `next`.
"""

from __future__ import annotations

import os
import threading
from itertools import filterfalse
from typing import Any


def is_ready(array: Any) -> bool | None:
    """None for an array that is deleted."""
    kind = type(array)
    return next(map(kind.is_ready, filterfalse(kind.is_deleted, (array,))), None)


def is_on_cpu(array: Any) -> bool:
    """By its devices: these are known of a deleted one, too."""
    return all(device.platform == "cpu" for device in array.sharding.device_set)


# Held while a thread of ours reads an array's memory: `deletion` makes the program's `delete` wait.
reading = threading.RLock()


def _new_lock() -> None:
    """A forked child has no thread of ours that could let it go."""
    global reading
    reading = threading.RLock()


os.register_at_fork(after_in_child=_new_lock)
