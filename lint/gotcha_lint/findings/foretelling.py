"""Forecasts beside the rest of a run: in a process of their own, where there are workers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gotcha_lint.files.workspace import Workspace
from gotcha_lint.task import Failure, Task

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from gotcha_lint.findings.forecast import KeptUnits, Live


class Foretelling:
    """What the rules foresee for the files of the tasks; asked for when the rules are run."""

    def __init__(
        self,
        space: Workspace,
        tasks: Sequence[Task],
        kept: KeptUnits | None,
        live: Live | None,
        *,
        apart: bool,
    ) -> None:
        self.failures: list[Failure] = []
        self.kept = kept
        self._space, self._tasks, self._live = space, tasks, live
        self._process: Any = None
        if apart and any(task.foresees for task in tasks):
            self._start()

    def tasks(self) -> list[Task]:
        """The tasks with what the rules foresee for their files."""
        if not any(task.foresees for task in self._tasks):
            return list(self._tasks)
        told = self._answer() if self._process is not None else None
        if told is None:  # also where the process has died
            from gotcha_lint.findings.forecast import foresee

            forecasts, self.failures = foresee(self._space, self._tasks, self.kept, self._live)
        else:
            forecasts, self.failures, kept = told
            if self.kept is not None:
                self.kept.clear()
                self.kept.update(kept)
        return [replace(task, forecasts=forecasts.get(task.path, ())) for task in self._tasks]

    def _start(self) -> None:
        import multiprocessing  # here only: most runs need no other process

        methods = multiprocessing.get_all_start_methods()
        forks = "fork" in methods and os.name == "posix"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self._pipe, theirs = context.Pipe()
        arguments = (theirs, self._space, self._tasks, self.kept)
        self._process = context.Process(target=_foretell, args=arguments, daemon=True)
        self._process.start()
        theirs.close()

    def _answer(self) -> Any:
        try:
            return self._pipe.recv()
        except EOFError:
            return None
        finally:
            self._pipe.close()
            self._process.join()


def _foretell(
    pipe: Connection, space: Workspace, tasks: Sequence[Task], kept: KeptUnits | None
) -> None:
    """The process: it answers once, and ends without freeing what it holds."""
    import signal

    from gotcha_lint.findings.forecast import foresee

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    forecasts, failures = foresee(space, tasks, kept)
    pipe.send((forecasts, failures, kept))
    pipe.close()
    os._exit(0)
