"""`--add-allow`: comments that allow today's findings, each with a reason to fill in.

A comment stands on a line of its own above the finding, or above its statement where the line
begins inside a string or goes on from a backslash.
"""

from __future__ import annotations

import io
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gotcha_lint.finding import Edit, Finding
from gotcha_lint.findings.fixer import edited
from gotcha_lint.text.source import Source

REASON = "WHY: say here why this is right"
_ABOUT_COMMENTS = {"unused-allow", "unknown-comment"}


@dataclass(frozen=True)
class Commented:
    """A file with its comments, how many there are, and the findings that cannot be allowed."""

    text: str
    added: int = 0
    left: Sequence[Finding] = field(default=())


def commented(source: Source, findings: Sequence[Finding]) -> Commented:
    """The text with one comment for the findings of each line."""
    names: dict[tuple[int, int], list[str]] = {}  # of the cell and line below the comment
    lines = {cell: source.lines(cell) for cell in {finding.cell for finding in findings}}
    above = {cell: _places(text) for cell, text in lines.items()}
    left: list[Finding] = []
    for finding in findings:
        line = above[finding.cell].get(finding.line)
        if line is None or not finding.id or finding.name in _ABOUT_COMMENTS:
            left.append(finding)
            continue
        listed = names.setdefault((finding.cell or 0, line), [])
        if finding.name not in listed:
            listed.append(finding.name)
    edits = [
        _edit(source, lines[cell or None][line - 1], line, cell or None, listed)
        for (cell, line), listed in names.items()
    ]
    return Commented(edited(source.text, edits), len(edits), left)


def _edit(source: Source, code: str, line: int, cell: int | None, names: Sequence[str]) -> Edit:
    start = source.offset(line, 1, cell)
    indent = code[: len(code) - len(code.lstrip())]
    end = "\r\n" if "\r\n" in source.text else "\n"
    return Edit(start, start, f"{indent}# gotcha: allow[{', '.join(names)}] {REASON}{end}")


def _places(lines: Sequence[str]) -> Mapping[int, int]:
    """For each line of code the line above which its comment can stand; empty for no Python."""
    text = "\n".join(line.rstrip("\r\n") for line in lines) + "\n"
    places: dict[int, int] = {}
    first = 0  # line of the statement
    inside: set[int] = set()
    opened: list[int] = []  # lines where f-strings begin (Python 3.12 and later)
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            row, end = token.start[0], token.end[0]
            kind = tokenize.tok_name[token.type]
            if kind in ("NEWLINE", "ENDMARKER"):
                first = 0
                continue
            if kind in ("NL", "COMMENT", "INDENT", "DEDENT"):
                continue
            first = first or row
            if kind.endswith("STRING_START"):
                opened.append(row)
            elif kind.endswith("STRING_END") and opened:
                inside |= set(range(opened.pop() + 1, end + 1))
            inside |= set(range(row + 1, end + 1))
            for number in range(row, end + 1):
                places.setdefault(number, first)
    except (tokenize.TokenError, SyntaxError):
        return {}
    joined = {n + 2 for n, line in enumerate(lines) if line.rstrip("\r\n").endswith("\\")}
    free = places.keys() - inside - joined
    return {line: line if line in free else start for line, start in places.items()}
