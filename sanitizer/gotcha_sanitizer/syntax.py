"""Syntax trees of the program's files, made so that no other thread's are disturbed."""

from __future__ import annotations

import ast
import gc
import sys
import threading
import time

_PARSE = ast.parse.__code__
_TRIES = 3
_PAUSE, _PAUSES = 0.002, 500  # seconds to wait while another thread parses, and how often


def parse(text: str) -> ast.Module | None:
    """The tree; None of what Python cannot read, as a notebook's magics or generated code.

    CPython counts the depth of a tree in one place for all threads. Garbage collection, for which
    JAX has a callback, lets another thread run meanwhile; if that parses as well, one of the two
    ends with "AST constructor recursion depth mismatch". So nothing is collected while we parse,
    and we do not begin while another thread is in `ast.parse`: it may be the program's.
    """
    for _ in range(_TRIES):
        _wait_for_others()
        collects = gc.isenabled()
        gc.disable()
        try:
            return ast.parse(text)
        except SystemError:  # another thread was in the middle of its own
            continue
        except (SyntaxError, ValueError, RecursionError):
            return None
        finally:
            if collects:
                gc.enable()
    return None


def _wait_for_others() -> None:
    for _ in range(_PAUSES):
        if not _others_parse():
            return
        time.sleep(_PAUSE)


def _others_parse() -> bool:
    own = threading.get_ident()
    for thread, frame in sys._current_frames().items():
        walk = frame if thread != own else None
        while walk is not None:
            if walk.f_code is _PARSE:
                return True
            walk = walk.f_back
    return False
