"""Makes Python of IPython: lines for IPython are replaced by Python of the same length."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from gotcha_lint.text.masking import STRING

_PYTHON_CELLS = frozenset({"time", "timeit", "capture", "prun", "python", "python3", "pypy"})
# Colab lets comments stand before it: `#@title Set-up`.
_CELL_MAGIC = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n?|\n))*[ \t]*%%([\w!.]*)")
# IPython takes these for magics without their `%` too.
_INSTALLS = (
    r"(?:pip|conda|mamba|uv)[ \t]+(?:install|uninstall|add|update|create|list|show|freeze)\b"
)
_MAYBE = re.compile(rf"^[ \t]*[%!?]|\?[ \t]*$|=[ \t]*[%!]|^[ \t]*{_INSTALLS}", re.MULTILINE)
_LINE_MAGIC = re.compile(
    rf"""(?P<keep>[ \t]*)(?:{_INSTALLS}|"""
    r"""%\S|![ \t]*\S|\?{1,2}[\w%*]|%?[\w.*\[\]]+\?{1,2}[ \t]*$)"""
    r"""|(?P<target>[ \t]*[\w.,\[\]* \t]+=[ \t]*)(?:%[^\s=]|!(?!=)[ \t]*\S)""",
    re.MULTILINE,
)
_REST = re.compile(
    r"[^\r\n]*?(?:\\[ \t]*(?:\r\n?|\n)[^\r\n]*?)*(?=[\r\n]|\Z)"
)  # with continuations
_LINE_END = re.compile(r"\r\n?|\n")
_PIECE = re.compile(
    rf"#[^\r\n]*|(?:{STRING})|([(\[{{])|([)\]}}])|\\(?:\r\n?|\n)|(\r\n?|\n)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Masked:
    text: str  # as long as the source, with the same line ends
    spans: tuple[tuple[int, int], ...] = ()  # what was replaced
    opaque: bool = False  # nothing of the cell is Python


def to_python(source: str) -> Masked:
    """A cell's source with all that is not Python replaced by harmless Python."""
    head = _CELL_MAGIC.match(source)
    while head:  # `%%capture` hands the rest to the next magic: `%%bash` makes it no Python
        if head[1] not in _PYTHON_CELLS:
            return blank(source)
        line = _REST.match(source, head.end())
        head = _CELL_MAGIC.match(source, line.end()) if line else None
    if not _MAYBE.search(source):
        return Masked(source)
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(source):
        magic = _LINE_MAGIC.match(source, position)
        if magic is None:
            position = _next_statement(source, position)
            continue
        start = magic.end("target") if magic["target"] else magic.end("keep")
        rest = _REST.match(source, start)
        end = rest.end() if rest else len(source)
        spans.append((start, end))
        position = _next_statement(source, end)
    out: list[str] = []
    position = 0
    for start, end in spans:
        out += source[position:start], _filler(source[start:end])
        position = end
    return Masked("".join(out) + source[position:], tuple(spans))


def blank(source: str) -> Masked:
    """A cell as comments only."""
    text = re.sub(r"[^\r\n]+", lambda line: "#" + " " * (len(line[0]) - 1), source)
    return Masked(text, opaque=True)


def restore(source: str, masked: Masked, new: str) -> str:
    """`new`, an edited `masked.text`, with the replaced parts of `source` back in it.

    Raises `ValueError` if they cannot be found, because an edit touched them.
    """
    if not masked.spans:
        return new
    line_starts = [0, *(end.end() for end in _LINE_END.finditer(masked.text))]
    old_lines, new_lines = _split(masked.text), _split(new)
    original = [
        source[a:b] for a, b in zip(line_starts, [*line_starts[1:], len(source)], strict=True)
    ]
    changed = {index for index, line in enumerate(old_lines) if line != original[index]}
    matcher = difflib.SequenceMatcher(None, old_lines, new_lines, autojunk=False)
    for old, at, size in matcher.get_matching_blocks():
        for index in range(size):
            if old + index in changed:
                new_lines[at + index] = original[old + index]
                changed.discard(old + index)
    if changed:
        raise ValueError("the change touches an IPython magic")
    return "".join(new_lines)


def _split(text: str) -> list[str]:
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


def _filler(text: str) -> str:
    """An expression that is a statement too, in which nothing can be found wrong."""
    first, *rest = re.split(r"(\r\n?|\n)", text)
    start = "..." if len(first) >= 3 else "0"
    blanks = [piece if piece[:1] in "\r\n" else " " * len(piece) for piece in rest]
    return start.ljust(len(first)) + "".join(blanks)


def _next_statement(source: str, position: int) -> int:
    """Where the statement after the one at `position` starts (or its next line, if it is cut)."""
    depth = 0
    for piece in _PIECE.finditer(source, position):
        if piece[1]:
            depth += 1
        elif piece[2]:
            depth -= 1
        elif piece[3] and depth <= 0:
            return piece.end()
    return len(source)
