"""Syntax trees of the program's files, made so that no other thread's parse is disturbed.

Before Python 3.12, CPython counts the depth of a tree in one place for all threads. A thread that
makes a tree keeps the interpreter's lock, except while garbage is collected: callbacks, such as
JAX's, and finalizers let other threads run. If another thread makes a tree at that moment, the
first one ends with "AST constructor recursion depth mismatch". So we make no tree while any thread
collects garbage.

Two marks say whether one does. They stand at both ends of `gc.callbacks` and are functions in C:
no other thread runs inside of them. `move_to_end(phase, info)` makes the phase the last key.
From 3.12 on, Python collects between bytecodes only, never while a tree is made.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

_ONLY_AST = ast.PyCF_ONLY_AST  # a global: an attribute of a module may be computed
_TRIES, _PAUSE = 250, 0.002  # seconds between two tries while garbage is collected
_ALONE = sys.version_info >= (3, 12)

_IDLE = OrderedDict.fromkeys(("start", "stop"))
_FIRST, _LAST = _IDLE.copy(), _IDLE.copy()
_MARKS: tuple[Any, Any] = (_FIRST.move_to_end, _LAST.move_to_end)
_placing = threading.Lock()


def parse(text: str) -> ast.Module | None:
    """The tree; None of what Python cannot read, as a notebook's magics or generated code.

    After half a second of collecting it no longer waits: we may run in a finalizer ourselves.
    """
    disturbed = False
    for tries_left in reversed(range(_TRIES)):
        anyway = _ALONE or tries_left == 0
        try:
            if anyway or _stand_at_both_ends():
                with _nothing_collected() if disturbed else contextlib.nullcontext():
                    tree = _parse(text, anyway)
                if tree is not None:
                    return tree
            time.sleep(_PAUSE)
        except SystemError:  # the program has made a tree while we collected garbage
            disturbed = True
        except (SyntaxError, ValueError, RecursionError):
            return None
    return None


@contextlib.contextmanager
def _nothing_collected() -> Iterator[None]:
    """Only where nothing else helps: the program may use the same switch in the meantime."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _parse(text: str, anyway: bool) -> ast.Module | None:
    """None where garbage is collected.

    Threads change at calls of functions and at jumps back: there is none between look and parse.
    """
    if anyway or (_FIRST == _IDLE and _LAST == _IDLE):
        tree: Any = compile(text, "<unknown>", "exec", _ONLY_AST)
        return tree
    return None


def _stand_at_both_ends() -> bool:
    """Takes the first and the last place of the callbacks, which other code may have taken."""
    places = gc.callbacks
    if places and places[0] is _MARKS[0] and places[-1] is _MARKS[1]:
        return True
    if not _placing.acquire(blocking=False):  # another thread, or we ourselves: in a finalizer
        return False
    try:
        for mark in _MARKS:
            if mark in places:
                places.remove(mark)
        phase = "start" if gc.isenabled() else "stop"  # a collection may be under way
        for state in (_FIRST, _LAST):
            state.move_to_end(phase)
        places.insert(0, _MARKS[0])
        places.append(_MARKS[1])
        if gc.isenabled():
            gc.collect(0)  # calls the marks, unless one is under way: that one will call them
    finally:
        _placing.release()
    return True
