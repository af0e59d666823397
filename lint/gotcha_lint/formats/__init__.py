"""The output formats: each module here is one, found by being there.

A format is a module with `render(report: Shown) -> str`. A leading `_` marks a helper.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gotcha_lint.config.selection import RuleText
    from gotcha_lint.finding import Finding


class SourceText(Protocol):
    """What a format reads of a file (`source.Source` has it)."""

    @property
    def text(self) -> str: ...

    def position(self, offset: int) -> tuple[int, int, int | None]: ...
    def lines(self, cell: int | None = None) -> Sequence[str]: ...


class FailureText(Protocol):
    """An internal error: which rule failed on which file."""

    @property
    def path(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def error(self) -> str: ...


def _nothing(_: str) -> None:
    return None


def no_page(_: str) -> str:
    return ""


@dataclass(frozen=True)
class Shown:
    """What a format is given. Machine formats make paths relative to `root`.

    Prose is wrapped at `width`, source lines are cut at `source_width`. `wrapped`: the first line
    of a finding is wrapped there, too; it stays whole where a program may read it. `page` gives the
    address of a gotcha's page where the output can hold links, and else nothing.
    """

    findings: Sequence[Finding]
    source: Callable[[str], SourceText | None] = _nothing
    rule: Callable[[str], RuleText | None] = _nothing
    colour: bool = False
    width: int = 88
    source_width: int = 320
    wrapped: bool = False
    page: Callable[[str], str] = no_page
    version: str = ""
    root: str = ""
    failures: Sequence[FailureText] = ()


def names() -> list[str]:
    """The formats that exist."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def load(name: str) -> Callable[[Shown], str]:
    """The `render` of a format."""
    return importlib.import_module(f"{__name__}.{name}").render


def relative(path: str, root: str) -> str:
    """The path with `/`, relative to `root` when it lies below it."""
    if root and os.path.isabs(path):
        below = os.path.relpath(path, root)
        path = path if below.startswith(os.pardir) else below
    return path.replace(os.sep, "/")


def by_path(findings: Sequence[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    """The findings file by file, in the order of the files' first findings."""
    files: dict[str, list[Finding]] = {}
    for finding in findings:
        files.setdefault(finding.path, []).append(finding)
    yield from files.items()


def kind(report: Shown, finding: Finding) -> str:
    """`severity[name]`, coloured, and the name linked to its page where that can be shown."""
    from gotcha_lint.output.paint import SEVERITY_COLOURS, link, paint

    text = f"{finding.severity}[{finding.name}]"
    text = paint(text, SEVERITY_COLOURS[finding.severity], report.colour)
    return link(text, report.page(finding.name))


def where(path: str, line: int, column: int, cell: int | None = None) -> str:
    """`path:line:column`, with the cell of a notebook before the line."""
    middle = f"cell {cell}:" if cell is not None else ""
    return f"{path}:{middle}{line}:{column}"
