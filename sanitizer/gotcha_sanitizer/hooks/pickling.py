"""Device arrays that go through pickle. Copies (`copy`, `deepcopy`) take another way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from gotcha_sanitizer.frames import owner, where
from gotcha_sanitizer.hooks import Context, internals, private, stack
from gotcha_sanitizer.hooks.methods import Method, forget_frame, replace
from gotcha_sanitizer.values.events import Pickled

# The module of a frame below the user's -> through what the array went.
_WAYS = {
    "multiprocessing.queues": "a multiprocessing queue",
    "multiprocessing.pool": "a process pool",
    "multiprocessing.popen_spawn_posix": "the start of a process",
    "multiprocessing.popen_forkserver": "the start of a process",
    "multiprocessing.connection": "a pipe",
    "multiprocessing.reduction": "a message to a process",
    "concurrent.futures.process": "a process pool",
    "orbax": "an Orbax checkpoint",
    "torch": "torch.save",
    "joblib": "joblib",
    "cloudpickle": "cloudpickle",
    "numpy": "np.save",
    "shelve": "shelve",
    "pickle": "pickle",
}
_FAR = 60


def way(frame: FrameType | None) -> str | None:
    """Through what the array goes, by the frames below the user's; None: JAX's own business.

    Of several the outermost one that the user's line called: a queue rather than its pickler.
    """
    found = "pickle"
    for _ in range(_FAR):
        if frame is None or (whose := owner(frame.f_code.co_filename)) == "user":
            break
        if whose == "jax":
            return None
        module = str(frame.f_globals.get("__name__", ""))
        for name, text in _WAYS.items():
            if module == name or module.startswith(name + "."):
                found = text
        frame = frame.f_back
    return found


class Pickling:
    def __init__(self, context: Context) -> None:
        self.context = context

    def make(self, original: Method) -> Method:
        guard, tell, caller = self.context.guard, self._tell, sys._getframe

        def hook(self: Any) -> Any:
            try:
                value = original(self)
            except BaseException as error:
                forget_frame(error)
                raise
            guard("pickling", tell, self, caller().f_back)
            return value

        return hook

    def _tell(self, array: Any, frame: FrameType | None) -> None:
        how = way(frame)
        if how is None or stack.find(frame, private.TRACE) is not None:
            return
        self.context.emit(
            Pickled(
                at=self.context.now(),
                shape=tuple(array.shape),
                dtype=str(array.dtype),
                bytes=int(array.nbytes),
                site=next(iter(where(frame).stack), None),  # a queue sends from a thread of its own
                how=how,
                devices=len(array.sharding.device_set),
            )
        )


def install(context: Context) -> Callable[[], None]:
    arrays = internals.array_class(context.jax)
    restore = None
    if arrays is not None:
        restore = replace(arrays, "__reduce__", Pickling(context).make)
    if restore is None:
        context.degraded("pickling", "arrays have no `__reduce__` of their own in this JAX")
        return lambda: None
    return restore
