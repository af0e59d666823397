"""Lines of a text, by the offset of a character in them."""

from __future__ import annotations


def line_around(text: str, offset: int) -> tuple[int, int]:
    """Where the line starts, and where it ends, without its line feed."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return start, len(text) if end < 0 else end


def next_line(text: str, offset: int) -> int:
    """Where the line after this one starts; the end of the text where there is none."""
    return min(line_around(text, offset)[1] + 1, len(text))
