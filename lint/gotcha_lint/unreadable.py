"""The one error that reading a file can end in."""

from __future__ import annotations


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
