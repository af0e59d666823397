"""Methods of JAX's class of arrays, replaced for the time of a run and put back afterwards."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any

Method = Callable[..., Any]


def replace(owner: type, name: str, make: Callable[[Method], Method]) -> Callable[[], None] | None:
    """Puts `make(original)` in the place of a method; what is returned puts the original back.

    None where the class has no such method of its own.
    """
    original = vars(owner).get(name)
    if original is None:
        return None
    ours = _dressed(make(original), original, owner, name)
    setattr(owner, name, ours)

    def restore() -> None:
        if vars(owner).get(name) is ours:  # else somebody has put a third one over it
            setattr(owner, name, original)

    return restore


def _dressed(ours: Method, original: Method, owner: type, name: str) -> Any:
    """Looks like the original to `inspect` and `help`: name, text, signature, no `__wrapped__`."""
    told = [n for n in functools.WRAPPER_ASSIGNMENTS if getattr(original, n, None) is not None]
    functools.update_wrapper(ours, original, assigned=told)
    if "__annotations__" not in told:
        ours.__annotations__ = {}
    if "__qualname__" not in told:
        ours.__qualname__ = f"{owner.__qualname__}.{name}"
    before = getattr(original, "__dict__", {}).get("__wrapped__")
    if before is None:
        del ours.__wrapped__  # type: ignore[attr-defined]
    else:
        ours.__wrapped__ = before  # type: ignore[attr-defined]
    with contextlib.suppress(ValueError, TypeError):  # a method of the extension module has none
        ours.__signature__ = inspect.signature(original)  # type: ignore[attr-defined]
    return ours


def forget_frame(error: BaseException) -> None:
    """Takes the frame of the hook that caught `error` out of its traceback, before a bare `raise`.

    A re-raised exception does not get the frame that re-raises it a second time.
    """
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next
