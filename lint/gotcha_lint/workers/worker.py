"""A process that checks files, and what is left of its share when it dies.

A parser can overflow the C stack: that costs the file that was being read, and no other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gotcha_lint.findings.checking import Checked, check_file
from gotcha_lint.task import Task
from gotcha_lint.text.unreadable import Unreadable, file_finding

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Given = Sequence[tuple[Task, bytes]]


class Worker:
    """A share of the files, in a process of its own."""

    def __init__(self, share: Given, names: frozenset[str]) -> None:
        self._share, self._names = share, names
        self._start(share)

    def results(self, checked: Callable[[], None]) -> list[Checked]:
        """What was found in each file, in order; `checked` is called after each."""
        out: list[Checked] = []
        while len(out) < len(self._share):
            try:
                done = self.pipe.recv()
            except EOFError:  # the process died over this file
                done = _died(self._share[len(out)][0].path)
                self.close()
                self._start(self._share[len(out) + 1 :])
            out.append(done)
            checked()
        return out

    def close(self) -> None:
        self.pipe.close()
        self.process.kill()  # it holds nothing but trees; freeing them would take a while
        self.process.join()

    def _start(self, share: Given) -> None:
        import multiprocessing  # here only: most runs need no other process

        methods = multiprocessing.get_all_start_methods()
        forks = "fork" in methods and os.name == "posix"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self.pipe, theirs = context.Pipe()
        arguments = theirs, share, self._names
        self.process = context.Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        theirs.close()


def _serve(pipe: Connection, share: Given, names: frozenset[str]) -> None:
    """The process: it sends what it has found in each file, and ends."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    for task, raw in share:
        pipe.send(check_file(task, raw, names))
    pipe.close()
    os._exit(0)  # without freeing the trees node by node


def _died(path: str) -> Checked:
    message = "the parser crashed on this file (it may be nested too deeply); it was left out"
    return Checked((file_finding(path, Unreadable("too-deeply-nested", message)),))
