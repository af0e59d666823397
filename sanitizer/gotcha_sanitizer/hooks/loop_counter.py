"""At which iteration of the user's loop a call runs: what the loop itself counts."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import FrameType

from gotcha_sanitizer.explain.turns import LOOPS, around
from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.hooks.local_variables import variables
from gotcha_sanitizer.values.parts import Site, Turn

_FRAMES, _MINE = 400, 4


def turn(frame: FrameType | None) -> Turn | None:
    """Of the innermost loop that counts, in the user's frames below this one; None without one."""
    seen = 0
    for _ in range(_FRAMES):
        if frame is None or seen == _MINE:
            break
        if owner(frame.f_code.co_filename) == "user":
            seen += 1
            if (found := _in_frame(frame)) is not None:
                return found
        frame = frame.f_back
    return None


def _in_frame(frame: FrameType) -> Turn | None:
    path = frame.f_code.co_filename
    names = _counters(path, frame.f_lineno)
    values = variables(frame) if names else {}
    for at, name in names:
        if type(value := values.get(name)) is int:
            return Turn(name, value, Site(path, at))
    return None


@lru_cache(maxsize=1024)
def _counters(path: str, line: int) -> tuple[tuple[int, str], ...]:
    """(line, name of the counter) of the loops around a line, innermost first."""
    loops = [node for node in around(path, line) if isinstance(node, LOOPS)]
    return tuple((loop.lineno, name) for loop in loops if (name := _counter(loop)))


def _counter(loop: ast.For | ast.AsyncFor | ast.While) -> str:
    """`step` of `for step in range(n)`, `for step, batch in enumerate(data)`, `while step < n`."""
    if isinstance(loop, ast.While):
        left = loop.test.left if isinstance(loop.test, ast.Compare) else None
        return left.id if isinstance(left, ast.Name) else ""
    called = {ast.unparse(n.func).rpartition(".")[2] for n in ast.walk(loop.iter)
              if isinstance(n, ast.Call)}  # fmt: skip
    target = loop.target
    if isinstance(target, ast.Tuple) and "enumerate" in called:
        target = target.elts[0]
    elif not called & {"range", "trange", "count"}:
        return ""
    return target.id if isinstance(target, ast.Name) else ""
