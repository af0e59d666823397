"""The one error that reading a file can end in."""

from __future__ import annotations

from gotcha_lint import registry
from gotcha_lint.finding import Finding


class Unreadable(Exception):
    """A file that cannot be linted, as the finding that says so.

    `name` is `syntax-error`, `undecodable-file`, `unreadable-file`, `too-deeply-nested` or
    `file-too-large`.
    """

    def __init__(
        self, name: str, message: str, line: int = 1, column: int = 1, cell: int | None = None
    ) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.line = line
        self.column = column
        self.cell = cell


def file_finding(path: str, error: Unreadable) -> Finding:
    """The finding that says why a file cannot be linted."""
    info = registry.rules().get(error.name)
    return Finding(
        name=error.name,
        message=error.message,
        path=path,
        line=error.line,
        column=error.column,
        end_line=error.line,
        end_column=error.column + 1,
        severity="error",
        url=info.url if info else "",
        cell=error.cell,
    )
