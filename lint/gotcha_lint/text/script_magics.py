"""Scripts that were exported from a notebook with its lines for IPython, such as `!pip install`.

Python refuses such a file; without these lines it is a program like any other.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from gotcha_lint.text.magics import Masked, restore, to_python
from gotcha_lint.text.unreadable import Unreadable
from gotcha_lint.text.unwarned import unwarned

_MAYBE = re.compile(r"^[!%][ \t]*[A-Za-z]", re.MULTILINE)
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class ScriptMagics:
    """The text as it stands in the file, and the same as Python."""

    original: str
    masked: Masked

    @property
    def error(self) -> Unreadable:
        """The finding at the first of these lines."""
        before = _LINE_END.split(self.original[: self.masked.spans[0][0]])
        return Unreadable(
            "syntax-error",
            "not valid Python: a line for IPython, which only a notebook runs; the rest of the "
            "file is analysed",
            len(before),
            len(before[-1]) + 1,
        )

    def written(self, text: str) -> str:
        """An edited Python text with these lines in it again. Raises `ValueError`."""
        return restore(self.original, self.masked, text)


def script_magics(text: str) -> ScriptMagics | None:
    """None where the text is Python, or is no Python without these lines either."""
    if _MAYBE.search(text) is None or _is_python(text):
        return None
    masked = to_python(text)
    if masked.opaque or not masked.spans or not _is_python(masked.text):
        return None
    return ScriptMagics(text, masked)


def _is_python(text: str) -> bool:
    try:
        with unwarned():
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
