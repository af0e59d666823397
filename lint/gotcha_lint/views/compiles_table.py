"""The table of `--compiles` as text: a line for each function, below it why programs differ."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gotcha_lint.rule_helpers.wording import size
from gotcha_lint.views.compiles import Row

_GAP = "  "
_MOST = 38  # characters of a place or a name; longer ones lose their start


def table(rows: Sequence[Row], width: int) -> str:
    """The rows, and a line that sums them up."""
    if not rows:
        return "no compiled functions were found\n"
    seen = any(row.seen is not None for row in rows)
    head = ["where", "function", "by", "programs", "constants", "unrolled", *(["run"] * seen)]
    cells = [_cells(row, seen) for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    lines = [_line(head, widths)]
    for row, own in zip(rows, cells, strict=True):
        lines.append(_line(own, widths))
        for text in _reasons(row):
            lines += textwrap.wrap(
                text, max(width, 60), initial_indent="    - ", subsequent_indent="      "
            )
    return "\n".join([*lines, "", _sum(rows)]) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return _GAP.join(c.ljust(w) for c, w in zip(cells, widths, strict=True)).rstrip()


def _cells(row: Row, seen: bool) -> list[str]:
    cell = f"cell {row.cell}:" if row.cell else ""
    run = "" if row.seen is None else str(row.seen.programs or "not run")
    return [
        _end(f"{row.path}:{cell}{row.line}"),
        _end(row.function),
        row.wrapper,
        "one per " + row.per.replace(" of the loop", ", loop")
        if row.per
        else f"{row.programs}{'+' * row.open}",
        _constants(row),
        f"{row.equations:,} equations" if row.equations else "",
        *([run] * seen),
    ]


def _end(text: str) -> str:
    """The end of a long path or name, from a whole part on."""
    if len(text) <= _MOST:
        return text
    short = text[4 - _MOST :]
    return "..." + (short[short.index("/") :] if "/" in short else short)


def _constants(row: Row) -> str:
    if not row.constants:
        return "size unknown" if row.unknown_constants else ""
    return size(row.constants) + " and more" * row.unknown_constants


def _reasons(row: Row) -> list[str]:
    out = [
        f"`{reason.argument}` {reason.text}" if reason.argument else reason.text
        for reason in row.reasons
    ]
    if row.seen is not None and row.seen.causes:
        counted = (f"{cause} {count}" for cause, count in row.seen.causes.items())
        out.append(f"in the run: {', '.join(counted)}")
    return out


def _sum(rows: Sequence[Row]) -> str:
    turns = sum(row.per.startswith("iteration") for row in rows)
    calls = sum(bool(row.per) for row in rows) - turns
    more = sum(not row.per and row.programs > 1 for row in rows)
    parts = (
        (turns, "once per iteration"),
        (calls, "at each call of another"),
        (more, "a few times"),
        (len(rows) - turns - calls - more, "once"),
    )
    said = ", ".join(f"{number} {what}" for number, what in parts if number)
    noun = "function is" if len(rows) == 1 else "functions are"
    is_open = any(row.open and not row.per for row in rows)
    return f"{len(rows)} {noun} compiled: {said}" + "; +: or more, as callers decide" * is_open
