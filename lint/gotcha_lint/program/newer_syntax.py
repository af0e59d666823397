"""Rewrites syntax newer than this interpreter to old syntax of the same width (floor `program`).

So the rest of the file is lowered, and everything stays at its line and column:

- `type X = ...`, `lazy import x`: the keyword becomes an empty statement.
- `def f[T](...)`, `class A[T]`, `type X[T]`: the type parameters become blanks.
- `except A, B:`: the commas become `|`.
- An f-string that this parser rejects (quotes or line ends inside of a field), and a t-string,
  becomes a tuple of its fields; the starts of these tuples are part of the result.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterator
from typing import NamedTuple

from gotcha_lint.program.format_strings import Field, String, Unclosed, groups, strings
from gotcha_lint.text.masking import mask

_KEYWORD = re.compile(
    r"(?:^|(?<=[;:]))[ \t\f]*(?P<word>type[ \t](?=[ \t]*[^\W\d]\w*[ \t]*(?:\[|=(?!=)))"
    r"|lazy(?=[ \t]+(?:import|from)\b))",
    re.MULTILINE,
)
_GENERIC = re.compile(
    r"(?:\b(?:def|class)|(?:^|(?<=[;:]))[ \t\f]*type)[ \t]+[^\W\d]\w*[ \t]*(?=\[)", re.MULTILINE
)
_EXCEPT = re.compile(r"^[ \t\f]*except\b", re.MULTILINE)
_BRACKET = re.compile(r"[()\[\]{}]")
_LINE_END = re.compile(r"\r\n?|\n")


class Older(NamedTuple):
    """`text` has the code points of the newer one, line by line, but fewer bytes.

    `formatted`: see `Builder`.
    """

    text: str
    formatted: frozenset[tuple[int, int]]


def older(text: str) -> Older:
    """The text without the constructs named above. What it does not know stays."""
    code = mask(text)
    out = list(text)
    starts: list[int] = []
    with contextlib.suppress(Unclosed):
        _rewrite_strings(strings(text)[0], text, out, starts)
    for found in _KEYWORD.finditer(code):
        start, end = found.span("word")
        out[start:end] = "0;".ljust(end - start)
    for found in _EXCEPT.finditer(code):
        _join_exceptions(code, found.end(), out)
    blank = 0  # up to here
    for found in _GENERIC.finditer(code):
        if found.end() >= blank:
            blank = _closing(code, found.end()) + 1
            if not blank:
                break
            _blank(text, found.end(), blank, out)
    rewritten = "".join(out)
    return Older(rewritten, frozenset(_places(rewritten, sorted(starts))))


def _places(text: str, offsets: list[int]) -> Iterator[tuple[int, int]]:
    """Line, and offset in bytes within the line, of each offset; these are in order."""
    line, position, start = 1, 0, 0
    for offset in offsets:
        for end in _LINE_END.finditer(text, position, offset):
            line, start = line + 1, end.end()
        position = offset
        yield line, len(text[start:offset].encode())


def _blank(text: str, start: int, end: int, out: list[str]) -> None:
    for offset in range(start, end):
        if text[offset] not in "\r\n":
            out[offset] = " "
        elif out[offset - 1] == " ":
            out[offset - 1] = "\\"  # outside of brackets, a line is continued so


def _closing(code: str, start: int) -> int:
    """The offset of the bracket that closes the one at `start`; -1: there is none."""
    depth = 0
    for bracket in _BRACKET.finditer(code, start):
        depth += 1 if bracket[0] in "([{" else -1
        if depth == 0:
            return bracket.start()
    return -1


def _join_exceptions(code: str, start: int, out: list[str]) -> None:
    depth = 0
    for offset in range(start, len(code)):
        sign = code[offset]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            depth -= 1
        elif depth == 0 and sign == ",":
            out[offset] = "|"
        elif depth == 0 and sign in ":\r\n":
            return


def _rewrite_strings(found: list[String], text: str, out: list[str], starts: list[int]) -> None:
    for group in groups(found, text):
        start, end = group[0].start, group[-1].end
        if not any(string.has_fields for string in group) or _parses(text[start:end]):
            continue
        starts.append(start)
        for offset in range(start, end):
            if text[offset] not in "\r\n":
                out[offset] = " "
        out[start], out[end - 1] = "(", ")"
        for string in group:
            _keep(string.fields, text, out, starts)


def _keep(fields: list[Field], text: str, out: list[str], starts: list[int]) -> None:
    """Puts the expressions of fields back, each with a comma in place of what ended it."""
    for one in fields:
        out[one.start : one.stop] = text[one.start : one.stop]
        out[one.stop] = ","
        _rewrite_strings(one.strings, text, out, starts)
        _keep(one.nested, text, out, starts)


def _parses(text: str) -> bool:
    try:
        ast.parse(f"({text})")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
