"""What the frames of JAX on the stack tell: which call, trace, gradient or callback it is.

The names of those functions are in `private`; this only walks outwards.
"""

from __future__ import annotations

from types import FrameType

from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks import private

_FAR = 400  # frames


def find(frame: FrameType | None, name: str, stop: str = "") -> FrameType | None:
    """The nearest frame of a function, outwards; none beyond a frame called `stop`."""
    for _ in range(_FAR):
        if frame is None or (stop and frame.f_code.co_name == stop):
            return None
        if frame.f_code.co_name == name:
            return frame
        frame = frame.f_back
    return None


def runs(frame: FrameType | None, codes: frozenset[int]) -> bool:
    """One of these code objects, by identity, runs in this frame or outwards."""
    for _ in range(_FAR):
        if frame is None:
            return False
        if id(frame.f_code) in codes:
            return True
        frame = frame.f_back
    return False


def called_back(frame: FrameType | None) -> FrameType | None:
    """The user's function, outermost, that a running program has called back."""
    outermost = None
    for _ in range(_FAR):
        if frame is None or frame.f_code.co_name == private.CALLBACK:
            return outermost if frame is not None else None
        if owner(frame.f_code.co_filename) == "user":
            outermost = frame
        frame = frame.f_back
    return None


def entry(frame: FrameType | None, ahead: frozenset[int]) -> FrameType | None:
    """Where the program went into JAX, for when CALL is gone; None unless it was by a call."""
    found = None
    while frame is not None and owner(frame.f_code.co_filename) == "jax":
        if id(frame.f_code) in ahead:
            return None
        if frame.f_code.co_name == private.TRACE:
            break
        found, frame = frame, frame.f_back
    return found


def gradient(frame: FrameType | None) -> FrameType | None:
    """The frame of the outermost gradient that is being taken, outside of jit."""
    found = None
    for _ in range(_FAR):
        if frame is None:
            break
        if frame.f_code.co_name in private.GRADIENTS:
            found = frame
        elif frame.f_code.co_name == private.TRACE:  # it was a part of what is traced
            found = None
        frame = frame.f_back
    return found


def transformation(frame: FrameType | None) -> str:
    """The transformation that evaluates a jitted function from outside: grad, vmap, or ''."""
    inner = find(frame, private.TRANSFORMED, stop=private.CALL)
    for _ in range(12):
        if inner is None:
            return ""
        if inner.f_code.co_name in private.RULES:
            return private.RULES[inner.f_code.co_name]
        inner = inner.f_back
    return "transformation"
