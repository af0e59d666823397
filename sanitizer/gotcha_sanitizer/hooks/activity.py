"""What the main thread does in the loops of the user's, sampled: is it in JAX's Python code?

A jitted call on the fast path has no frame of JAX's; an operation outside of jit has some. So the
frames of a sample tell eager dispatch from all else. Compiling is left out, also ahead of time.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType

from gotcha_sanitizer.frames import owner, where
from gotcha_sanitizer.hooks import Context, internals, private, stack
from gotcha_sanitizer.values.events import Activity, LoopActivity
from gotcha_sanitizer.values.parts import Site

_SOONEST = 0.015  # seconds between samples
_SAMPLES = 120  # in each doubling of the run's time, about
_LOOPS = 256
_FRAMES = 400
_STACKS = 256  # that are kept
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep  # reads are timed there
_OPERATIONS = (
    *(f"{os.sep}{part}{os.sep}" for part in ("numpy", "lax", "interpreters", "nn")),
    *(f"{os.sep}{name}.py" for name in ("random", "prng")),  # a key that is split, a draw
)
_COPIES = ("device_put", "device_get", "asarray", "array", "block_until_ready")


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a stack means. `codes` are kept so that no other code gets their address."""

    codes: tuple[CodeType, ...]
    loops: tuple[Site, ...]
    eager_at: Site | None


class Sampler:
    """Counts samples by loop; keeps no frame.

    A loop is sampled in the same few stacks again and again: what they mean is kept, for looking
    at each frame takes ten times as long as recognising them.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self._ahead = internals.ahead_of_time(context.jax)  # `lower`, `compile`, `make_jaxpr`, ...
        self._rows: dict[Site, LoopActivity] = {}
        self._at = 0.0
        self._seen: dict[tuple[int, ...], _Seen] = {}

    def job(self) -> float:
        """A sample; gives the seconds until the next."""
        now = self.context.now()
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        if frame is not None and self._at:
            self._take(frame, min(now - self._at, 2 * max(_SOONEST, now / _SAMPLES)))
        self._at = now
        return now / _SAMPLES

    def _take(self, frame: FrameType, seconds: float) -> None:
        seen = self._recognise(frame)
        for loop in seen.loops:
            row = self._rows.get(loop)
            if row is None and len(self._rows) >= _LOOPS:
                continue
            row = row or LoopActivity(loop)
            self._rows[loop] = row.grown(seconds, seen.eager_at)

    def _recognise(self, frame: FrameType) -> _Seen:
        key, codes = _key(frame)
        seen = self._seen.get(key)
        if seen is None:
            if len(self._seen) >= _STACKS:
                self._seen.clear()
            seen = self._seen[key] = self._look(frame, codes)
        return seen

    def _look(self, frame: FrameType, codes: tuple[CodeType, ...]) -> _Seen:
        if stack.find(frame, private.CALL) is not None or stack.runs(frame, self._ahead):
            return _Seen(codes, (), None)  # it compiles, or is about to
        place, eager = where(frame), _in_jax(frame)
        return _Seen(codes, tuple(dict.fromkeys(place.loops)), place.site if eager else None)

    def tell(self) -> None:
        """All loops so far."""
        if self._rows:
            self.context.emit(Activity(self.context.now(), tuple(self._rows.values())))


def _key(frame: FrameType | None) -> tuple[tuple[int, ...], tuple[CodeType, ...]]:
    """The stack, by the address and the place of each frame's code, and these codes."""
    codes: list[CodeType] = []
    key: list[int] = []
    while frame is not None and len(codes) < _FRAMES:
        codes.append(frame.f_code)
        key += (id(frame.f_code), frame.f_lasti)
        frame = frame.f_back
    return tuple(key), tuple(codes)


def _in_jax(frame: FrameType | None) -> bool:
    """JAX's operations are on top of the stack, called by the user's code or by a library for it:
    no read, wait or copy, and no library's own Python."""
    found = False
    for _ in range(_FRAMES):
        if frame is None:
            return False
        path = frame.f_code.co_filename
        whose = owner(path)
        if path.startswith(_OWN) or frame.f_code.co_name in _COPIES:
            return False
        if whose == "user":
            return found
        if whose == "library":
            if not found:
                return False
        else:
            found |= any(part in path for part in _OPERATIONS)
        frame = frame.f_back
    return False


def install(context: Context) -> Callable[[], None]:
    sampler = Sampler(context)
    context.every(_SOONEST, sampler.job)
    context.at_end(sampler.tell)
    context.every(10.0, sampler.tell)
    return lambda: None
