"""Is a file valid Python? LibCST is asked only where this Python refuses it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gotcha_lint.text.source import Source, decode
from gotcha_lint.text.unreadable import Unreadable
from gotcha_lint.text.unwarned import unwarned


def check_syntax(decoded: Source) -> None:
    """Raises `Unreadable` for what is no Python, this one's or a newer one's."""
    try:
        with unwarned():
            ast.parse(decoded.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        from gotcha_lint.text.reading import tree_of

        tree_of(decoded)


def problems(path: str, raw: bytes) -> Iterator[Unreadable]:
    """Why a file, or a part of it, cannot be read."""
    try:
        decoded = decode(path, raw)
        yield from decoded.broken
        check_syntax(decoded)
    except Unreadable as error:
        yield error
