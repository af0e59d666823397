"""An exception in the words of the linter's table: which gotcha, which argument, which line.

Used after JAX's own traceback, which stays as it is: at the end of a program, by the pytest plugin
and in notebooks.
"""

from __future__ import annotations

import linecache
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType

from gotcha_lint.errors import Meaning, recognise
from gotcha_lint.home import more
from gotcha_sanitizer.frames import owner
from gotcha_sanitizer.values.events import Fact
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import place

_FRAMES = 100  # of each exception in a chain; a deep recursion has thousands
_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Crash:
    """A known error and the user's line that it came from."""

    meaning: Meaning
    site: Site | None

    @property
    def name(self) -> str:
        return self.meaning.known.names[0]

    def as_fact(self, at: float, told: bool = False) -> Fact:
        """For the record: `at` is seconds since the start; `told`, that it has been explained."""
        return Fact(
            at=at,
            gotcha=self.name,
            message=f"{self.meaning.error}: {self.meaning.means}{_argument(self.meaning)}",
            site=self.site,
            function=self.site.function if self.site else "",
            advice=self.meaning.fix,
            severity="error",
            evidence={
                "argument": self.meaning.argument,
                "error": self.meaning.error,
                "told": told,
            },
        )

    def as_text(self, head: str) -> str:
        """One block; `head` marks the first line as ours."""
        return "\n".join([f"{head}{self.name} at {place(self.site)}", *self._lines()]) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _wrapped("", self.meaning.means)
        if self.site and (line := linecache.getline(self.site.path, self.site.line).strip()):
            yield f"      {self.site.line:>5} | {line[: _WIDTH - 14]}"
        if self.meaning.argument:
            yield f"      argument: {self.meaning.argument}"
        if self.meaning.function:
            yield f"      traced: {self.meaning.function}"
        yield from _wrapped("fix: ", self.meaning.fix)
        yield f"      more: {more(self.name)}"


def explain(error: BaseException) -> Crash | None:
    """What the table knows of an exception; None for most."""
    if not isinstance(error, Exception):
        return None
    meaning = recognise(_text(error))
    return Crash(meaning, _site(error.__traceback__)) if meaning and meaning.known.names else None


def _text(error: BaseException) -> str:
    """The traceback without its source lines: their words are no part of the error."""
    parts = traceback.format_exception(error, limit=-_FRAMES)
    return "".join(
        part.partition("\n")[0] + "\n" if part.startswith('  File "') else part for part in parts
    )


def _site(trace: TracebackType | None) -> Site | None:
    """The user's innermost line."""
    found: Site | None = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if owner(code.co_filename) == "user":
            found = Site(code.co_filename, trace.tb_lineno, code.co_qualname)
        trace = trace.tb_next
    return found


def _argument(meaning: Meaning) -> str:
    return f" (argument: {meaning.argument})" if meaning.argument else ""


def _wrapped(head: str, words: str) -> list[str]:
    blank = " " * 6
    return textwrap.wrap(
        head + words, _WIDTH, initial_indent=blank, subsequent_indent=blank + " " * len(head)
    )
