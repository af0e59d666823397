"""Forecasts beside the rest of a run: in processes of their own, where there are workers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gotcha_lint.files.workspace import Workspace
from gotcha_lint.task import Failure, Task

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from gotcha_lint.findings.forecast import Forecasts, KeptUnits, Live


class Foretelling:
    """What the rules foresee for the files of the tasks; asked for when the rules are run."""

    def __init__(
        self,
        space: Workspace,
        tasks: Sequence[Task],
        kept: KeptUnits | None,
        live: Live | None,
        *,
        processes: int = 0,
    ) -> None:
        """`processes`: how many share the work; with none it is done when it is asked for."""
        self.failures: list[Failure] = []
        self.kept = kept
        self._space, self._tasks, self._live = space, tasks, live
        self._shares: list[_Share] = []
        if processes and any(task.foresees for task in tasks):
            self._start(processes)

    def tasks(self) -> list[Task]:
        """The tasks with what the rules foresee for their files."""
        if not any(task.foresees for task in self._tasks):
            return list(self._tasks)
        from gotcha_lint.findings.forecast import foresee, joined

        told = [share.answer() for share in self._shares]
        if not told or None in told:  # also where a process has died
            forecasts, self.failures = foresee(self._space, self._tasks, self.kept, self._live)
        else:
            parts = [part for part in told if part is not None]
            forecasts = joined(part.forecasts for part in parts)
            # A module that cannot be read is one failure, also where several have tried.
            self.failures = list(dict.fromkeys(f for part in parts for f in part.failures))
            for part in parts:
                if self.kept is not None and part.kept is not None:
                    self.kept.update(part.kept)
        return [replace(task, forecasts=forecasts.get(task.path, ())) for task in self._tasks]

    def _start(self, processes: int) -> None:
        import multiprocessing  # here only: most runs need no other process

        from gotcha_lint.findings.forecast import shares

        methods = multiprocessing.get_all_start_methods()
        forks = "fork" in methods and os.name == "posix"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        for share in shares(self._space, processes):
            pipe, theirs = context.Pipe()
            arguments = (theirs, self._space, self._tasks, self.kept, share)
            process = context.Process(target=_foretell, args=arguments, daemon=True)
            process.start()
            theirs.close()
            self._shares.append(_Share(process, pipe))


class _Told(NamedTuple):
    """What one process has found."""

    forecasts: Forecasts
    failures: list[Failure]
    kept: KeptUnits | None


class _Share(NamedTuple):
    """A process at work on a share of the units."""

    process: Any
    pipe: Connection

    def answer(self) -> _Told | None:
        """None where the process has died."""
        try:
            return self.pipe.recv()
        except EOFError:
            return None
        finally:
            self.pipe.close()
            self.process.join()


def _foretell(
    pipe: Connection,
    space: Workspace,
    tasks: Sequence[Task],
    kept: KeptUnits | None,
    share: frozenset[str],
) -> None:
    """The process: it answers once, and ends without freeing what it holds."""
    import signal

    from gotcha_lint.findings.forecast import foresee

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    forecasts, failures = foresee(space, tasks, kept, share=share)
    pipe.send(_Told(forecasts, failures, kept))
    pipe.close()
    os._exit(0)
