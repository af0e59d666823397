"""What the main thread does in the loops of the user's, sampled: is it in JAX's Python code?

A jitted call on the fast path has no frame of JAX's; an operation outside of jit has some. So the
frames of a sample tell eager dispatch from all else. Compiling is left out.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType

from gotcha_sanitizer.events import Activity, LoopActivity
from gotcha_sanitizer.frames import owner, where
from gotcha_sanitizer.hooks import Context, private, stack
from gotcha_sanitizer.parts import Site

_SOONEST = 0.01  # seconds between samples
_SAMPLES = 200  # in each doubling of the run's time, about
_LOOPS = 256
_FRAMES = 400


class Sampler:
    """Counts samples by loop; keeps no frame."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._rows: dict[Site, LoopActivity] = {}
        self._at = 0.0

    def job(self) -> float:
        """A sample; gives the seconds until the next."""
        now = self.context.now()
        frame = sys._current_frames().get(threading.main_thread().ident or 0)
        if frame is not None and self._at:
            self._take(frame, min(now - self._at, 2 * max(_SOONEST, now / _SAMPLES)))
        self._at = now
        return now / _SAMPLES

    def _take(self, frame: FrameType, seconds: float) -> None:
        if stack.find(frame, private.CALL) is not None:
            return  # it compiles, or is about to
        place, eager = where(frame), _in_jax(frame)
        for loop in dict.fromkeys(place.loops):
            row = self._rows.get(loop)
            if row is None and len(self._rows) >= _LOOPS:
                continue
            row = row or LoopActivity(loop)
            self._rows[loop] = row.grown(seconds, place.site if eager else None)

    def tell(self) -> None:
        """All loops so far."""
        if self._rows:
            self.context.emit(Activity(self.context.now(), tuple(self._rows.values())))


def _in_jax(frame: FrameType | None) -> bool:
    """JAX's code is above the user's, and no library's, such as a data loader's."""
    for _ in range(_FRAMES):
        whose = owner(frame.f_code.co_filename) if frame is not None else "user"
        if frame is None or whose != "library":
            return whose == "jax"
        frame = frame.f_back
    return False


def install(context: Context) -> Callable[[], None]:
    sampler = Sampler(context)
    context.every(_SOONEST, sampler.job)
    context.at_end(sampler.tell)
    context.every(10.0, sampler.tell)
    return lambda: None
