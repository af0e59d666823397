"""Syntax trees of the program's files, made so that no other thread's are disturbed."""

from __future__ import annotations

import ast
import gc

_TRIES = 3


def parse(text: str) -> ast.Module | None:
    """The tree; None of what Python cannot read, as a notebook's magics or generated code.

    CPython counts the depth of a tree in one place for all threads. Garbage collection, for which
    JAX has a callback, lets another thread run meanwhile; if that parses as well, one of the two
    ends with "AST constructor recursion depth mismatch". So nothing is collected while we parse.
    """
    for _ in range(_TRIES):
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
