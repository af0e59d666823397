"""Arrays read on the host: by which line, how long it waited, and what was left to compute.

Methods of JAX's class of arrays are replaced by ones that take the time. They change no result, and
leave no frame in a traceback. `__iter__` is not among them: iterating slices on the device.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from gotcha_sanitizer.hooks import Context, internals
from gotcha_sanitizer.hooks.finite import LOOK
from gotcha_sanitizer.hooks.methods import Method, forget_frame, replace
from gotcha_sanitizer.hooks.read_line import GAP, WAITS
from gotcha_sanitizer.hooks.read_sites import Looks, Reads, emit_changed
from gotcha_sanitizer.old_python import READS, UNSEEN

_NUMBERS = ("__float__", "__complex__")
_WHOLE = ("__int__", "__bool__", "__index__")
_OTHERS = (
    "item",
    "tolist",
    "__array__",
    "__buffer__",
    "__format__",
    "__str__",
    "__repr__",
    "__dlpack__",
    "block_until_ready",
)


def _number(original: Method, reads: Reads) -> Method:
    """For methods that take nothing, read once and give a float or a complex number.

    `_whole` repeats it but for the test of the value: a function shared by both would be a Python
    call more in each read, a third of what a hook costs. There is no frame where C itself is the
    caller: when a program ends by `sys.exit(array)`.
    """
    clock, note, caller, lines = time.perf_counter, reads.note, sys._getframe, reads.lines

    def hook(self: Any) -> Any:
        began = clock()
        try:
            value = original(self)
        except BaseException as error:
            reads.failed(caller().f_back, self, error)
            forget_frame(error)
            raise
        ended = clock()
        try:
            frame = caller(1)
        except ValueError:
            return value
        line = lines.get(id(frame.f_code) + frame.f_lasti)
        if line is not None and ended - began < WAITS and value - value == 0.0:
            line.count += 1
            line.blocked += ended - began
            if began - line.ended > GAP:
                line.visits += 1
            line.ended = ended
        else:
            note(frame, began, ended, self, value - value == 0.0)
        return value

    return hook


def _whole(original: Method, reads: Reads) -> Method:
    """For methods that take nothing, read once and give an integer or a truth value."""
    clock, note, caller, lines = time.perf_counter, reads.note, sys._getframe, reads.lines

    def hook(self: Any) -> Any:
        began = clock()
        try:
            value = original(self)
        except BaseException as error:
            reads.failed(caller().f_back, self, error)
            forget_frame(error)
            raise
        ended = clock()
        try:
            frame = caller(1)
        except ValueError:
            return value
        line = lines.get(id(frame.f_code) + frame.f_lasti)
        if line is not None and ended - began < WAITS:
            line.count += 1
            line.blocked += ended - began
            if began - line.ended > GAP:
                line.visits += 1
            line.ended = ended
        else:
            note(frame, began, ended, self, True)
        return value

    return hook


def _other(original: Method, reads: Reads, active: set[int]) -> Method:
    """For methods that may call another of them: only the outermost counts."""
    clock, note, caller, lines = time.perf_counter, reads.note, sys._getframe, reads.lines
    ident, finite = threading.get_ident, LOOK.get(reads.how)

    def hook(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        me = ident()
        if me in active:
            try:
                return original(self, *args, **kwargs)
            except BaseException as error:
                forget_frame(error)
                raise
        active.add(me)
        began = clock()
        try:
            value = original(self, *args, **kwargs)
        except BaseException as error:
            active.discard(me)
            reads.failed(caller().f_back, self, error)
            forget_frame(error)
            raise
        ended = clock()
        active.discard(me)
        try:
            frame = caller(1)
        except ValueError:
            return value
        line = lines.get(id(frame.f_code) + frame.f_lasti)
        good = finite is None or reads.looks_finite(finite, value)
        if good and line is not None and ended - began < WAITS:
            line.count += 1
            line.blocked += ended - began
            if began - line.ended > GAP:
                line.visits += 1
            line.ended = ended
        else:
            note(frame, began, ended, self, good)
        return value

    return hook


def install(context: Context) -> Callable[[], None]:
    arrays = internals.array_class(context.jax)
    if arrays is None:
        context.degraded("host reads", "the class of arrays was not found: no read is seen")
        return lambda: None
    if sys.version_info < (3, 12):
        context.degraded(READS, UNSEEN[READS])
    looks, active = Looks(context), set()
    tables: list[Reads] = []
    restore: list[Callable[[], None]] = []
    for name in (*_NUMBERS, *_WHOLE, *_OTHERS):
        reads = Reads(name, context, looks)
        done = context.guard("host reads", replace, arrays, name, _maker(name, reads, active))
        if done is not None:
            tables.append(reads)
            restore.append(done)
        elif name != "__buffer__":
            context.degraded(f"host reads by {name}", "arrays have no such method in this JAX")
    flush = functools.partial(emit_changed, context, tables)
    context.every(1.0, flush)
    context.at_end(flush)

    def forget() -> None:
        active.clear()
        for table in tables:
            table.clear()

    os.register_at_fork(after_in_child=forget)  # a child counts its own

    def uninstall() -> None:
        for put_back in restore:
            put_back()

    return uninstall


def _maker(name: str, reads: Reads, active: set[int]) -> Callable[[Method], Method]:
    if name in _NUMBERS:
        return lambda original: _number(original, reads)
    if name in _WHOLE:
        return lambda original: _whole(original, reads)
    return lambda original: _other(original, reads, active)
