"""A piece of source with line numbers and the span underlined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from gotcha_lint.output.paint import cells, paint

_SHOWN_SPAN = 5  # a longer span shows its first two lines and its last
_LEAST = 24  # columns of code, on however narrow a screen
_LEAD = 20  # columns kept before a span that is cut out of a very long line


@dataclass(frozen=True)
class Span:
    line: int
    column: int
    end_line: int
    end_column: int

    def part(self, line: int, text: str) -> tuple[int, int]:
        """Which code points of a line it covers, 0-based and half open; never nothing."""
        blank = len(text) - len(text.lstrip())
        start = max(self.column - 1, blank) if line == self.line else blank
        last = len(text.rstrip())  # blanks at the end of a line are not shown
        end = self.end_column - 1 if line == self.end_line else last
        start = max(0, min(start, last))
        return start, max(start + 1, min(end, last))


def excerpt(lines: Sequence[str], span: Span, *, width: int, colour: bool, style: str) -> list[str]:
    """The lines of `span`, underlined, or nothing when the file has no such lines."""
    if not 1 <= span.line <= len(lines):
        return []
    last = max(span.line, min(span.end_line, len(lines)))
    gutter = len(str(last))
    shown: list[str] = []
    for number in range(span.line, last + 1):
        if _left_out(number, span.line, last):
            if number == span.line + 2:
                shown.append(paint("...", "dim", colour))
            continue
        text = lines[number - 1].rstrip("\r\n")
        code, underline = _cut(text, span.part(number, text), max(width - gutter - 3, _LEAST))
        bar = paint("|", "dim", colour)
        shown.append(f"{paint(f'{number:>{gutter}}', 'dim', colour)} {bar} {code}".rstrip())
        if text.strip() or span.line == last:
            shown.append(f"{'':{gutter}} {bar} {_underlined(underline, style, colour)}")
    return shown


def _left_out(number: int, first: int, last: int) -> bool:
    return last - first >= _SHOWN_SPAN and first + 2 <= number < last


def _underlined(underline: str, style: str, colour: bool) -> str:
    carets = underline.lstrip(" ")
    return " " * (len(underline) - len(carets)) + paint(carets, style, colour)


def shortened(text: str, room: int) -> str:
    """The text, with dots at its end where it takes more columns than there are."""
    return _cut(text, (0, 1), max(room, _LEAST))[0]


def _cut(text: str, marked: tuple[int, int], room: int) -> tuple[str, str]:
    """The line as shown and its underline; a line that is too long is cut around the span."""
    drawn = list(cells(text))
    edges = [0, *accumulate(width for _, width in drawn)]
    start, end = marked
    left = 0
    room -= 2 * (edges[-1] > room)  # for the dots
    if edges[-1] > room and edges[min(end, len(drawn))] > room:
        left = next(i for i, edge in enumerate(edges) if edge >= edges[start] - _LEAD or i == start)
    right = len(drawn)
    while edges[right] - edges[left] > room and right > left + 1:
        right = _last_fitting(edges, left, room)
    if left and right == len(drawn):  # what is left of the room shows more before the span
        left = next(i for i, edge in enumerate(edges) if edges[-1] - edge <= room)
    hidden = "".join(shown for shown, _ in drawn[:left]).strip()  # an indent is no loss
    head, tail = "…" if hidden else "", "…" if right < len(drawn) else ""
    code = head + "".join(shown for shown, _ in drawn[left:right]) + tail
    visible_end = min(end, right)
    carets = edges[min(visible_end, len(drawn))] - edges[min(start, right)]
    pad = len(head) + edges[min(start, right)] - edges[left]
    return code, " " * pad + "^" * max(1, carets)


def _last_fitting(edges: list[int], left: int, room: int) -> int:
    right = left + 1
    while right + 1 < len(edges) and edges[right + 1] - edges[left] <= room:
        right += 1
    return right
