"""The program's `array.delete()` waits while a thread of ours reads the memory of an array.

JAX frees the memory at once, and ends the process where another thread reads it at that moment. A
donated array needs no such care: there JAX itself waits for who reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gotcha_sanitizer.hooks import Context, internals, readiness
from gotcha_sanitizer.hooks.methods import Method, forget_frame, replace


def _waits(original: Method) -> Method:
    def hook(self: Any) -> Any:
        with readiness.reading:
            try:
                return original(self)
            except BaseException as error:
                forget_frame(error)
                raise

    return hook


def install(context: Context) -> Callable[[], None]:
    arrays = internals.array_class(context.jax)
    done = None if arrays is None else context.guard("deletion", replace, arrays, "delete", _waits)
    return done or (lambda: None)
