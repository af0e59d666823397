"""Text for a terminal: colours, and characters by the room they take."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_CODES = {"bold": "1", "red": "1;31", "yellow": "1;33", "blue": "1;34", "cyan": "36", "dim": "2"}
SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_TAB = 4
# Control characters, and the marks that turn the direction of text, could forge a report.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def paint(text: str, style: str, colour: bool) -> str:
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if colour and text else text


def link(text: str, address: str) -> str:
    """The text as a link that terminals open on a click (OSC 8); unchanged without an address."""
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\" if address else text


def one_line(text: str) -> str:
    """The text without characters that would move the cursor or recolour the screen."""
    return _UNSAFE.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def cells(line: str) -> Iterator[tuple[str, int]]:
    """What each code point of a source line is shown as, and how many columns that takes."""
    column = 0
    for char in line:
        shown, width = _cell(char, column)
        column += width
        yield shown, width


def _cell(char: str, column: int) -> tuple[str, int]:
    if char == "\t":
        width = _TAB - column % _TAB
        return " " * width, width
    if " " <= char <= "~":
        return char, 1
    if _UNSAFE.match(char):
        return one_line(char), 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return char, 0
    return char, 2 if unicodedata.east_asian_width(char) in "WF" else 1
