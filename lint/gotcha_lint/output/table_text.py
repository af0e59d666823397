"""A Markdown table as text: columns side by side, cells wrapped to the width of the screen."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

_CELL = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s:|-]+")
_GAP = "  "
_LEAST = 8


def table(lines: Sequence[str], width: int) -> list[str]:
    """The rows as lines of at most `width` columns, where the columns are not too many for it."""
    rows = [_cells(line) for line in lines if not _RULE.fullmatch(line)]
    count = max(map(len, rows))
    rows = [row + [""] * (count - len(row)) for row in rows]
    widths = _widths(rows, width - len(_GAP) * (count - 1))
    shown = [line for row in rows for line in _row(row, widths)]
    head = len(_row(rows[0], widths))
    return [*shown[:head], _GAP.join("-" * size for size in widths), *shown[head:]]


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inner)]


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Narrow columns keep their width; the wide ones share what is left in equal parts."""
    wanted = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    widths = [0] * len(wanted)
    left = room
    for rank, column in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        widths[column] = min(wanted[column], max(left // (len(wanted) - rank), _LEAST))
        left -= widths[column]
    return widths


def _row(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    wrapped = [
        textwrap.wrap(cell, size, break_on_hyphens=False) or [""]
        for cell, size in zip(row, widths, strict=True)
    ]
    height = max(map(len, wrapped))
    filled = [cell + [""] * (height - len(cell)) for cell in wrapped]
    return [
        _GAP.join(f"{part:<{size}}" for part, size in zip(parts, widths, strict=True)).rstrip()
        for parts in zip(*filled, strict=True)
    ]
