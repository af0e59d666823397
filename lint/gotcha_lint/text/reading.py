"""From the text of a file to its tree, or to why there is none."""

from __future__ import annotations

import ast

import libcst as cst

from gotcha_lint.text import parsing
from gotcha_lint.text.deep import allow_deep_recursion
from gotcha_lint.text.source import Source
from gotcha_lint.text.unreadable import Unreadable
from gotcha_lint.text.unwarned import unwarned


def tree_of(decoded: Source) -> cst.Module:
    """The tree of a file. Raises `Unreadable`."""
    allow_deep_recursion()
    try:
        return parsing.parse(_parsable(decoded.text))
    except cst.ParserSyntaxError as error:
        raise _syntax_error(decoded, error) from None


def _parsable(text: str) -> str:
    """The text without what LibCST loses when it writes a tree: offsets must stay true."""
    if text.endswith("\r"):
        text = text[:-1] + "\n"
    return text.replace("\f", " ") if "\f" in text else text


def _syntax_error(decoded: Source, error: cst.ParserSyntaxError) -> Unreadable:
    """Python's own words and place where it refuses the text too; LibCST's are often a line off."""
    if decoded.notebook is None:
        try:
            with unwarned():
                ast.parse(decoded.text)
        except SyntaxError as own:
            return Unreadable(
                "syntax-error",
                f"not valid Python: {own.msg}",
                own.lineno or 1,
                max(own.offset or 1, 1),
            )
        except (ValueError, RecursionError, MemoryError):
            pass
    offset = (
        decoded.line_starts[min(error.raw_line, len(decoded.line_starts)) - 1] + error.raw_column
    )
    line, column, cell = decoded.position(min(offset, len(decoded.text)))
    message = f"not valid Python: {error.message.removeprefix('parser error: ')}"
    return Unreadable("syntax-error", message, line, column, cell)
