"""Where nodes of an `ast` stand in the text, in lines and code points (floor `program`).

`ast` counts columns in bytes of UTF-8, from 0. For a text of ASCII these are code points.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from gotcha_lint.program.ir import Span

_LINE_END = re.compile(r"\r\n?|\n")  # what Python's tokenizer takes for the end of a line


class Spans:
    """The spans of the nodes of one text. `of` is the fast function for one node."""

    def __init__(self, text: str) -> None:
        self.lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
        self._bytes: dict[int, bytes] = {}
        if not text.isascii():
            numbered = enumerate(self.lines, 1)
            self._bytes = {number: line.encode() for number, line in numbered if not line.isascii()}
        self.of: Callable[[Any], Span] = self._wide if self._bytes else _narrow

    def lines_with(self, word: str) -> list[int]:
        """The numbers of the lines that hold a word."""
        return [number for number, line in enumerate(self.lines, 1) if word in line]

    def column(self, line: int, offset: int) -> int:
        """The column of a byte offset in a line."""
        raw = self._bytes.get(line)
        return (offset if raw is None else len(raw[:offset].decode("utf-8", "replace"))) + 1

    def _wide(self, node: Any) -> Span:
        line, end = node.lineno, node.end_lineno
        return line, self.column(line, node.col_offset), end, self.column(end, node.end_col_offset)

    def text(self, span: Span) -> str:
        """The text at a span; its lines are joined by `\\n`."""
        line, column, end_line, end_column = span
        if line == end_line:
            return self.lines[line - 1][column - 1 : end_column - 1]
        first, last = self.lines[line - 1][column - 1 :], self.lines[end_line - 1][: end_column - 1]
        return "\n".join((first, *self.lines[line : end_line - 1], last))

    def source(self, node: ast.expr | None) -> str:
        """The source text of an expression; "" for `None`."""
        return "" if node is None else self.text(self.of(node))

    def header(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
        """From `def`, `async` or `class` to the end of the name."""
        line, column, _, _ = self.of(node)
        word = {ast.FunctionDef: 4, ast.AsyncFunctionDef: 10}.get(node.__class__, 6)
        found = self.lines[line - 1].find(node.name, column + word - 2)
        start = found + 1 if found >= 0 else column + word  # the name may be on the next line
        return line, column, line, start + len(node.name)


def _narrow(node: Any) -> Span:
    return node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1
