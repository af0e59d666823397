"""Deeply nested code is followed by recursion."""

from __future__ import annotations

import sys

_FRAMES = 20_000  # of our own Python: since 3.11 they take no C stack


def allow_deep_recursion() -> None:
    """For this process, from now on."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))
