"""The code cells of a Jupyter notebook (nbformat 4) as one Python text, and back."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from functools import cached_property

from gotcha_lint.text.guard import guard
from gotcha_lint.text.magics import Masked, blank, restore, to_python
from gotcha_lint.text.notebook_json import code_cells, rewrite, uses_escapes
from gotcha_lint.text.unreadable import Unreadable
from gotcha_lint.text.unwarned import unwarned

SEPARATOR = "\n#\x1f\n"
"""Stands between two cells: a comment for Python, which no cell holds and no edit makes.

(A form feed would look nicer, but LibCST 1.9 does not always give it back.)
"""

_AST_ONLY = 0x400 | 0x2000  # ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, without the import


@dataclass(frozen=True, slots=True)
class Cell:
    number: int  # among the code cells, from 1
    source: str  # as the notebook has it
    masked: Masked
    start: int  # offset of its text in the text of the notebook
    span: tuple[int, int]  # of its `source` value in the JSON

    @property
    def text(self) -> str:
        return self.masked.text


@dataclass(frozen=True)
class Notebook:
    json: str
    cells: tuple[Cell, ...]
    broken: tuple[Unreadable, ...] = ()  # cells that are no Python: they are blank in the text

    @cached_property
    def text(self) -> str:
        return SEPARATOR.join(cell.text for cell in self.cells)

    def cell(self, number: int) -> Cell:
        return self.cells[min(max(number, 1), len(self.cells)) - 1]

    def cell_at(self, offset: int) -> Cell:
        """The cell that holds `offset`; the separator belongs to the cell before it."""
        return self.cells[max(bisect.bisect_right(self._starts, offset) - 1, 0)]

    def encode(self, text: str) -> str:
        """The JSON with the cells changed to `text`; what did not change stays as it is.

        Raises `ValueError` where the change touches a magic, a blanked cell or a separator.
        """
        texts = text.split(SEPARATOR) if self.cells else []
        if len(texts) != len(self.cells) or (not self.cells and text):
            raise ValueError("the change joins or parts cells of the notebook")
        out: list[str] = []
        position = 0
        for cell, new in zip(self.cells, texts, strict=True):
            if new == cell.text:
                continue
            if cell.masked.opaque:
                raise ValueError(f"the change is in cell {cell.number}, which is not Python")
            begin, end = cell.span
            value = restore(cell.source, cell.masked, new)
            out += self.json[position:begin], rewrite(self.json[begin:end], value, self._ascii)
            position = end
        return "".join(out) + self.json[position:]

    @cached_property
    def _starts(self) -> list[int]:
        return [cell.start for cell in self.cells]

    @cached_property
    def _ascii(self) -> bool:
        return uses_escapes(self.json)


def parse(text: str, strict: bool = False) -> Notebook:
    """The notebook whose JSON is `text`. Raises `Unreadable`.

    A cell with a syntax error is blanked, and in `broken`. So is one that is indented as a whole,
    which IPython runs, and which is no error. Cells are tried with Python's parser and
    only where that fails with LibCST; `strict` tries LibCST on each.
    """
    cells: list[Cell] = []
    broken: list[Unreadable] = []
    start = 0
    for number, (source, span, is_python) in enumerate(code_cells(text), 1):
        masked = to_python(source) if is_python else blank(source)
        error = None if masked.opaque else _error(masked.text, strict)
        if error is not None:
            if not _runs_dedented(masked.text):
                error.cell = number
                broken.append(error)
            masked = blank(source)
        cells.append(Cell(number, source, masked, start, span))
        start += len(masked.text) + len(SEPARATOR)
    return Notebook(text, tuple(cells), tuple(broken))


def _error(text: str, strict: bool) -> Unreadable | None:
    """Why the text of a cell cannot be part of a module."""
    try:
        guard(text)
        text.encode("utf-8")
    except Unreadable as error:
        return error
    except UnicodeEncodeError:
        return Unreadable("undecodable-file", "holds half of a surrogate pair; remove it")
    if "\x1f" in text or "\0" in text:
        return Unreadable("syntax-error", "holds a null or unit separator character; remove it")
    wrong = _python_error(text)
    if wrong is None and not strict:
        return None
    import libcst  # here only: few notebooks need it

    try:
        libcst.parse_module(text)
    except (libcst.ParserSyntaxError, RecursionError, ValueError) as error:
        # Python says better what is wrong, and where: LibCST's line can be one too many.
        return wrong or Unreadable("syntax-error", f"is not valid Python: {error}")
    return None


def _runs_dedented(text: str) -> bool:
    """IPython takes empty first lines off a cell, and the indentation of the next off all lines."""
    lines = text.lstrip("\n").split("\n")
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    plain = "\n".join(line.removeprefix(indent) for line in lines)
    return plain != text and _python_error(plain) is None


def _python_error(text: str) -> Unreadable | None:
    """What this Python, which may be older than the code, says about it."""
    try:
        with unwarned():
            compile(text, "cell", "exec", _AST_ONLY, dont_inherit=True)
    except SyntaxError as error:
        message = f"is not valid Python: {error.msg}"
        return Unreadable(
            "syntax-error", message, max(error.lineno or 1, 1), max(error.offset or 1, 1)
        )
    except (ValueError, RecursionError, MemoryError) as error:
        return Unreadable("syntax-error", f"cannot be parsed: {error}")
    return None
