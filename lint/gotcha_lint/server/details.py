"""What an editor shows of a file besides findings: why code is traced, values of names, programs.

Worked out when an editor asks for it, as plain data: no tree of the file stays in memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gotcha_lint.config.settings import SettingsFinder
from gotcha_lint.text.source import Source
from gotcha_lint.text.unreadable import Unreadable
from gotcha_lint.views.compiles import Row
from gotcha_lint.views.name_values import NameValue
from gotcha_lint.views.why import Explained, Looked


@dataclass(frozen=True, slots=True)
class Details:
    """Of one file. Spans of names count lines of the joined text of a notebook."""

    source: Source
    functions: tuple[Explained, ...] = ()
    names: tuple[NameValue, ...] = ()
    rows: tuple[Row, ...] = ()

    def function_at(self, line: int, cell: int | None) -> Explained | None:
        """The innermost function around a line, decorators included; else the top level."""
        around = [
            each
            for each in self.functions
            if not each.name or (each.cell == cell and each.lines[0] <= line <= each.lines[1])
        ]
        named = [each for each in around if each.name]
        return min(named or around, key=lambda each: each.lines[1] - each.lines[0], default=None)

    def name_at(self, line: int, column: int, cell: int | None) -> NameValue | None:
        """The name under a cursor; where it is read and assigned in one place, what is assigned."""
        offset = self.source.offset(line, column, cell)
        here = [
            each
            for each in self.names
            if self.source.offset(*each.span[:2]) <= offset <= self.source.offset(*each.span[2:])
        ]
        return max(here, key=lambda each: (each.span[:2], each.stored), default=None)


def details(
    name: str,
    source: Source,
    finder: SettingsFinder,
    overlay: Mapping[str, bytes],
) -> Details:
    """The details of the file of this name; none where nothing in it reaches JAX.

    Raises ConfigError.
    """
    try:
        looked = Looked(name, finder, overlay=overlay)
    except ValueError:
        return Details(source)
    rows = tuple(row for row in looked.rows if name in (row.path, row.defined_in))
    return Details(source, tuple(looked.explained()), tuple(looked.names), rows)


def readable(name: str, raw: bytes) -> Source | None:
    """The text of a file, if it can be read."""
    from gotcha_lint.text import source

    try:
        return source.decode(name, raw)
    except Unreadable:
        return None
