"""Walks that enter themselves, without the stack: the program may have used up most of it.

A walk is a generator that yields the walks inside it, is sent what they return, and returns its own
result.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")
Walk = Generator[Any, Any, T]


def run(walk: Walk[T]) -> T:
    """What a walk returns; an error in any part of it ends the whole."""
    walks: list[Walk[Any]] = [walk]
    result: Any = None
    while walks:
        try:
            walks.append(walks[-1].send(result))
            result = None
        except StopIteration as end:
            walks.pop()
            result = end.value
    return result
