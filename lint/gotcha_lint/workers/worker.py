"""One shard in this process or in a worker process, behind one face.

A worker that dies (a parser can overflow the C stack) costs the file it was reading: that file is
reported, another worker takes the rest of the share.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gotcha_lint import registry
from gotcha_lint.analysis.tables import Key
from gotcha_lint.facts import Facts
from gotcha_lint.finding import Finding
from gotcha_lint.memo.records import Loaded
from gotcha_lint.workers.rounds_apart import packed, take_news
from gotcha_lint.workers.shard import Shard

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class Local:
    """A shard of this process."""

    def __init__(self, facts: Facts, known: frozenset[str]) -> None:
        self.shard = Shard(facts, known)
        self.answer: Any = None

    def begin_load(self, files: list[tuple[str, bytes]]) -> None:
        self.files = files

    def end_load(self, count: Callable[[str], None]) -> Loaded:
        return self.shard.load(self.files, count)

    def send(self, method: str, *args: Any) -> None:
        self.answer = getattr(self.shard, method)(*args)

    def receive(self) -> Any:
        return self.answer

    def close(self) -> None:
        pass


class Remote:
    """A shard in a process of its own."""

    def __init__(self, facts: Facts, known: frozenset[str]) -> None:
        self.arguments = facts, known
        self._start()

    def _start(self) -> None:
        import multiprocessing  # here only: most runs need no other process

        methods = multiprocessing.get_all_start_methods()
        forks = "fork" in methods and os.name == "posix"
        context: Any = multiprocessing.get_context("fork" if forks else "spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, *self.arguments), daemon=True)
        self.process.start()
        theirs.close()

    def begin_load(self, files: list[tuple[str, bytes]]) -> None:
        self.files = files
        self.pipe.send(("load", (files,)))

    def end_load(self, count: Callable[[str], None]) -> Loaded:
        lost: list[Finding] = []
        reading = ""
        while True:
            try:
                message, value = self.pipe.recv()
            except EOFError:  # the worker died over `reading`
                lost.append(_died(reading))
                self.files = [f for f in self.files if f[0] != reading]
                if not reading:
                    raise RuntimeError("a worker process ended before it read a file") from None
                self._start()
                self.begin_load(self.files)
                reading = ""
                continue
            if message == "done":
                return Loaded(
                    value.summaries, value.seeds, [*lost, *value.unreadable], value.failures
                )
            if message == "error":
                raise RuntimeError(value)
            reading = value
            count(reading)

    def send(self, method: str, *args: Any) -> None:
        self.pipe.send((method, args))

    def receive(self) -> Any:
        message, value = self.pipe.recv()
        if message == "error":
            raise RuntimeError(value)
        return value

    def close(self) -> None:
        self.pipe.close()
        self.process.kill()  # it holds nothing but trees; freeing them would take a while
        self.process.join()


def answers(shards: Sequence[Local | Remote]) -> Iterator[Any]:
    """What the workers among them answer, as it comes in."""
    from multiprocessing.connection import wait

    pending = {shard.pipe: shard for shard in shards if isinstance(shard, Remote)}
    while pending:
        for pipe in wait(list(pending)):
            yield pending.pop(pipe).receive()


def _serve(pipe: Connection, facts: Facts, known: frozenset[str]) -> None:
    """The loop of a worker process."""
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    gc.disable()
    shard = Shard(facts, known)
    table: dict[Key, Any] = {}
    while True:
        try:
            method, args = pipe.recv()
        except (EOFError, OSError):
            os._exit(0)  # without freeing the trees node by node
        try:
            if method == "load":
                pipe.send(
                    ("done", shard.load(*args, started=lambda path: pipe.send(("reading", path))))
                )
                continue
            if method == "analyse":
                ids, news = args
                take_news(table, news)
                pipe.send(("done", packed(shard.analyse(ids, table), table)))
                continue
            pipe.send(("done", getattr(shard, method)(*args)))
        except Exception as error:
            pipe.send(("error", f"{type(error).__name__}: {error}"))


def _died(path: str) -> Finding:
    message = "the parser crashed on this file (it may be nested too deeply); it was left out"
    url = registry.rules()["too-deeply-nested"].url
    return Finding("too-deeply-nested", message, path, 1, 1, 1, 2, "error", url=url)
