"""A progress bar for runs that last, on a terminal only."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from gotcha_lint.output.terminal import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE = 1.0  # seconds without a bar


class Bar:
    """Called with (done, total). Imports rich when the run has lasted a second, not before."""

    def __init__(self, *, wanted: bool) -> None:
        self._wanted = wanted and is_terminal(sys.stderr)
        self._begun = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int) -> None:
        if not self._wanted or time.monotonic() - self._begun < _PATIENCE:
            return
        if self._progress is None:
            self._show(total)
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done, total=total)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _show(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        shown = Progress(console=Console(stderr=True), transient=True)
        self._progress, self._task = shown, shown.add_task("linting", total=total)
        shown.start()
