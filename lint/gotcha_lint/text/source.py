"""Reads and writes one file: bytes to text and back, with nothing lost on the way."""

from __future__ import annotations

import bisect
import codecs
import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from gotcha_lint.text.guard import MAX_CHARACTERS, guard
from gotcha_lint.text.unreadable import Unreadable

if TYPE_CHECKING:
    from gotcha_lint.text.notebook import Notebook
    from gotcha_lint.text.script_magics import ScriptMagics

__all__ = ["Source", "Span", "Unreadable", "decode", "read", "write"]

Span = tuple[int, int, int, int, int | None]  # line, column, end line, end column, cell

_LINE_END = re.compile(r"\r\n?|\n")  # not form feeds and the like: str.splitlines knows too many
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")
_MAGIC = re.compile(rb"^[!%][ \t]*[A-Za-z]", re.MULTILINE)  # of IPython, perhaps
_MAX_BYTES = 4 * MAX_CHARACTERS


@dataclass(frozen=True)
class Source:
    """A decoded file. Offsets count code points of `text`; lines, columns and cells count from 1.

    The text of a notebook is its code cells joined; lines then count within the cell.
    """

    path: str
    raw: bytes
    text: str
    encoding: str = "utf-8"
    bom: bool = False
    notebook: Notebook | None = None
    magics: ScriptMagics | None = None

    @property
    def broken(self) -> Sequence[Unreadable]:
        """Cells and magics that are no Python; the rest of the text is read without them."""
        cells = self.notebook.broken if self.notebook is not None else ()
        return (*cells, self.magics.error) if self.magics is not None else tuple(cells)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        return (0, *(end.end() for end in _LINE_END.finditer(self.text)))

    def position(self, offset: int) -> tuple[int, int, int | None]:
        """Line, column and cell of an offset; one outside the text counts as its nearest end."""
        cell = self.notebook.cell_at(offset) if self.notebook and self.notebook.cells else None
        start, end = self._span(cell and cell.number)
        offset = min(max(offset, start), end)
        index = self._line_index(offset)
        first = self._line_index(start)
        column = offset - self.line_starts[index] + 1
        return index - first + 1, column, cell and cell.number

    def between(self, start: int, end: int) -> Span:
        """The place between two offsets; one that ends in another cell ends where it starts."""
        line, column, cell = self.position(start)
        end_line, end_column, end_cell = self.position(end)
        if end_cell != cell:
            end_line, end_column = line, column
        return line, column, end_line, end_column, cell

    def offset(self, line: int, column: int, cell: int | None = None) -> int:
        """The offset of a place; beyond the end of a line, cell or text, that end."""
        start, end = self._span(cell)
        first, last = self._line_index(start), self._line_index(end)
        index = min(max(first + line - 1, first), last)
        line_end = self.line_starts[index + 1] if index < last else end
        return min(max(self.line_starts[index] + column - 1, self.line_starts[index]), line_end)

    def lines(self, cell: int | None = None) -> tuple[str, ...]:
        """The lines without their ends, for display: of a notebook as they stand in the cell."""
        if self.magics is not None:
            shown = self.magics.original
        elif self.notebook is not None and self.notebook.cells and cell is not None:
            shown = self.notebook.cell(cell).source
        else:
            start, end = self._span(cell)
            shown = self.text[start:end]
        return tuple(_LINE_END.split(shown))

    def encode(self, text: str) -> bytes:
        """The bytes to write so that the file holds `text`.

        Raises `UnicodeEncodeError` where the file's encoding has no such character, and
        `ValueError` where the cells of a notebook cannot be told apart any more.
        """
        if self.notebook is not None:
            raw = self.notebook.encode(text).encode("utf-8")
        else:
            written = text if self.magics is None else self.magics.written(text)
            raw = written.encode(self.encoding)
        return codecs.BOM_UTF8 + raw if self.bom else raw

    def _span(self, cell: int | None) -> tuple[int, int]:
        if self.notebook is None or not self.notebook.cells or cell is None:
            return 0, len(self.text)
        found = self.notebook.cell(cell)
        return found.start, found.start + len(found.text)

    def _line_index(self, offset: int) -> int:
        return bisect.bisect_right(self.line_starts, offset) - 1


def read(path: str) -> Source:
    """The file at `path`. Raises `Unreadable`."""
    try:
        # Opening a FIFO or a device could wait for ever.
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise Unreadable("unreadable-file", "not a regular file; leave it out of the paths")
        if status.st_size > _MAX_BYTES:
            message = f"the file has {status.st_size:,} bytes, more than {_MAX_BYTES:,}; exclude it"
            raise Unreadable("file-too-large", message)
        with open(path, "rb") as file:
            raw = file.read()
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise Unreadable("unreadable-file", f"cannot be read: {reason}") from error
    return decode(path, raw)


def decode(path: str, raw: bytes, *, strict: bool = False) -> Source:
    """The content `raw` of the file at `path`. Raises `Unreadable`.

    `strict` tries LibCST on each cell of a notebook: for when it rejects the text of all of them.
    """
    bom = raw.startswith(codecs.BOM_UTF8)
    body = raw[len(codecs.BOM_UTF8) :] if bom else raw
    if path.endswith(".ipynb"):
        from gotcha_lint.text.notebook import parse  # here only: most runs see no notebook

        notebook = parse(_decode(body, "utf-8"), strict)
        guard(notebook.text)  # each cell has passed, so only the size of all of them can be wrong
        return Source(path, raw, notebook.text, "utf-8", bom, notebook)
    encoding = _encoding(body, bom)
    text = _decode(body, encoding)
    null = text.find("\0")
    if null >= 0:
        message = (
            "holds a null byte, so it is no Python source text; remove it, or exclude the file"
        )
        raise Unreadable("undecodable-file", message, *_place(text[:null]))
    guard(text)
    if _MAGIC.search(body) is not None:
        from gotcha_lint.text.script_magics import script_magics  # here only: few scripts have some

        magics = script_magics(text)
        if magics is not None:
            return Source(path, raw, magics.masked.text, encoding, bom, magics=magics)
    return Source(path, raw, text, encoding, bom)


def _encoding(body: bytes, bom: bool) -> str:
    """The encoding that the first two lines declare (PEP 263), else UTF-8."""
    for number, line in enumerate(re.split(rb"\r\n?|\n", body[:4096], maxsplit=2)[:2], 1):
        cookie = _COOKIE.match(line)
        if cookie:
            name = cookie[1].decode("ascii", "replace")
            codec = _codec(name, number)
            if bom and codec != "utf-8":
                message = (
                    f"starts with a UTF-8 byte order mark but declares the encoding {name}; "
                    "remove one of the two"
                )
                raise Unreadable("undecodable-file", message, number)
            return codec
        if not _BLANK.match(line):
            break
    return "utf-8"


def _codec(name: str, line: int) -> str:
    plain = name.lower().replace("_", "-")
    if plain == "utf-8" or plain.startswith("utf-8-"):
        return "utf-8"  # as Python does: utf-8-sig and utf-8-unix too
    if plain in ("latin-1", "iso-8859-1", "iso-latin-1") or plain.startswith(
        ("latin-1-", "iso-8859-1-", "iso-latin-1-")
    ):
        return "iso-8859-1"
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        info = None
    # UTF-16 and the like cannot hold an ASCII cookie; `rot13`, `hex` and the like are no text.
    if info is None or not getattr(info, "_is_text_encoding", True) or _is_wide(info.name):
        message = f"declares the encoding {name}, which Python does not know; save it as UTF-8"
        raise Unreadable("undecodable-file", message, line)
    return info.name


def _is_wide(name: str) -> bool:
    return name.startswith(("utf-16", "utf-32")) or name in ("undefined", "idna", "punycode")


def _decode(body: bytes, encoding: str) -> str:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "replace")
        message = (
            f"byte 0x{body[error.start]:02x} is not valid {encoding.upper()}; save the file as "
            "UTF-8, or declare its encoding in the first line (`# -*- coding: ... -*-`)"
        )
        raise Unreadable("undecodable-file", message, *_place(before)) from None
    except (UnicodeError, ValueError) as error:
        message = f"cannot be decoded as {encoding}: {error}; save it as UTF-8"
        raise Unreadable("undecodable-file", message) from None


def _place(before: str) -> tuple[int, int]:
    lines = _LINE_END.split(before)
    return len(lines), len(lines[-1]) + 1


def write(path: str, data: bytes) -> None:
    """Replaces the content of the file at `path` in one step; links and permissions stay."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    handle, temporary = tempfile.mkstemp(prefix=f".{name[:100]}.", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode(real))
        os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
