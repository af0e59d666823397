"""Records that are still written: what was added since the last look is taken in, and no more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from gotcha_sanitizer.run.merge import merge
from gotcha_sanitizer.run.os_errors import in_words
from gotcha_sanitizer.run.record import BadRecord, Run


class Follow:
    """One record. A file that was folded, or started again, is read from its beginning."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run = Run()
        self._offset = self._file = 0

    def refresh(self) -> bool:
        """True where something was added. Raises BadRecord where it is no record of a run."""
        try:
            with self.path.open("rb") as file:
                self._begin_anew(file.fileno())
                file.seek(self._offset)
                text = file.read()
        except OSError as error:
            raise BadRecord(f"{self.path} cannot be read: {in_words(error)}") from error
        whole = text[: text.rfind(b"\n") + 1]  # the rest of a line is still to come
        for line in whole.splitlines():
            self._add(line)
        self._offset += len(whole)
        return bool(whole)

    def _begin_anew(self, file: int) -> None:
        import os

        state = os.fstat(file)
        if state.st_ino != self._file or state.st_size < self._offset:
            self.run, self._offset, self._file = Run(), 0, state.st_ino

    def _add(self, line: bytes) -> None:
        try:
            event = json.loads(line)
            event["event"]
        except (ValueError, TypeError, KeyError) as error:
            hint = "a record is what GOTCHA_OPTIONS=log_path=run.jsonl writes"
            raise BadRecord(f"{self.path}: no event of a run ({error}); {hint}") from error
        self.run.add(event)


def together(records: Sequence[Follow]) -> Run:
    return merge([each.run for each in records])
