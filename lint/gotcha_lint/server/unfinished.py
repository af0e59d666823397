"""A file that does not parse while somebody types: what was found before, on the lines that stayed.

The last text that parsed is analysed instead, so findings in other files stay as well. Its places
are moved to the lines of the new text; what lies on a changed line is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from gotcha_lint.finding import Finding

Lines = Mapping[int, int]  # line of the old text -> line of the new one; only those that stayed


def moved_lines(old: Sequence[str], new: Sequence[str]) -> Lines:
    """Where each line that both texts have went."""
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return {
        block.a + step + 1: block.b + step + 1 for block in blocks for step in range(block.size)
    }


def moved(findings: Iterable[Finding], path: str, lines: Lines) -> Iterator[Finding]:
    """The findings at their new places, without fixes: these are offsets into the old text."""
    for finding in findings:
        if finding.path != path:
            yield finding
            continue
        if finding.line not in lines or finding.end_line not in lines:
            continue
        chain = tuple(
            replace(place, line=lines[place.line], end_line=lines[place.end_line])
            if place.path == path
            else place
            for place in finding.chain
            if place.path != path or {place.line, place.end_line} <= lines.keys()
        )
        yield replace(
            finding,
            line=lines[finding.line],
            end_line=lines[finding.end_line],
            chain=chain,
            fix=None,
        )


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A text that does not parse, and the last one that did."""

    good: bytes
    lines: Lines
    error: Finding
