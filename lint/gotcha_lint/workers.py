"""Shards in this process or in worker processes, behind one face.

A worker that dies (a parser can overflow the C stack) costs the file it was reading: that file is
reported, another worker takes the rest of the share.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gotcha_lint import registry
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import Result, Usage
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.values import FunctionId, Site
from gotcha_lint.drafts import Draft
from gotcha_lint.facts import Facts
from gotcha_lint.finding import Finding
from gotcha_lint.shard import Loaded, Shard
from gotcha_lint.task import Failure, Task

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Span = tuple[int, int, int, int, int | None]
Progress = Callable[[int, int], None]


class Pool:
    """One or several shards. All methods take and give data of the whole run."""

    def __init__(self, facts: Facts, known: frozenset[str], jobs: int) -> None:
        self.facts, self.known, self.jobs = facts, known, max(1, jobs)
        self.shards: list[_Local | _Remote] = []
        self.owner: dict[str, int] = {}
        self._sent: dict[Key, Any] = {}

    def load(self, files: Sequence[tuple[str, bytes]], progress: Progress | None) -> Loaded:
        """Shares the files out by size; each is parsed once."""
        shares = _shares(files, self.jobs)
        for number, share in enumerate(shares):
            self.owner.update((path, number) for path, _ in share)
        kind = _Local if self.jobs == 1 else _Remote
        self.shards = [kind(self.facts, self.known) for _ in shares]
        counter = _Counter(len(files), progress)
        for shard, share in zip(self.shards, shares, strict=True):
            shard.begin_load(share)
        out = Loaded({}, {}, [], [])
        for shard in self.shards:
            part = shard.end_load(counter)
            out.summaries.update(part.summaries)
            out.seeds.update(part.seeds)
            out.unreadable.extend(part.unreadable)
            out.failures.extend(part.failures)
        ordered = {path: out.summaries[path] for path, _ in files if path in out.summaries}
        return Loaded(ordered, out.seeds, out.unreadable, out.failures)

    def link(self, project: Project) -> None:
        for shard in self.shards:
            shard.send("link", project)
        self._gather()

    def analyse(
        self, ids: Sequence[FunctionId], table: Mapping[Key, Any]
    ) -> dict[FunctionId, Result]:
        """One round over these functions; workers get only what changed in the table."""
        if self.jobs == 1:
            return self.shards[0].call("analyse", ids, table) if self.shards else {}
        sent = self._sent  # a value that changes is another object
        changed = {key: value for key, value in table.items() if sent.get(key) is not value}
        gone = sent.keys() - table.keys()
        self._sent = dict(table)
        for number, shard in enumerate(self.shards):
            mine = [fid for fid in ids if self.owner[fid[0]] == number]
            shard.send("analyse", mine, changed, gone)
        results: dict[FunctionId, Result] = {}
        for part in self._gather():
            results.update(part)
        return {fid: results[fid] for fid in ids if fid in results}

    def finish(self, usage: Usage) -> None:
        """The rounds are over: tells the shards what only rules ask for."""
        for shard in self.shards:
            shard.send("finish", usage)
        self._gather()

    def check(self, tasks: Sequence[Task]) -> tuple[list[Draft], list[Failure]]:
        for number, shard in enumerate(self.shards):
            shard.send("check", [task for task in tasks if self.owner[task.path] == number])
        drafts: list[Draft] = []
        failures: list[Failure] = []
        for made, failed in self._gather():
            drafts.extend(made)
            failures.extend(failed)
        return drafts, failures

    def places(self, sites: Sequence[Site]) -> dict[Site, Span]:
        for number, shard in enumerate(self.shards):
            shard.send("places", [site for site in sites if self.owner.get(site[0]) == number])
        found: dict[Site, Span] = {}
        for part in self._gather():
            found.update(part)
        return found

    def spans(self, wanted: Sequence[tuple[str, int, int]]) -> list[Span]:
        for number, shard in enumerate(self.shards):
            shard.send("spans", [w for w in wanted if self.owner[w[0]] == number])
        found: dict[tuple[str, int, int], Span] = {}
        for part in self._gather():
            found.update(part)
        return [found[w] for w in wanted]

    def local(self) -> Shard:
        """The one shard of a run that was kept for questions: such runs use one process."""
        shard = self.shards[0]
        assert isinstance(shard, _Local)
        return shard.shard

    def close(self) -> None:
        for shard in self.shards:
            shard.close()
        self.shards = []

    def _gather(self) -> list[Any]:
        return [shard.receive() for shard in self.shards]


class _Counter:
    def __init__(self, total: int, progress: Progress | None) -> None:
        self.total, self.done, self.progress = total, 0, progress

    def __call__(self, path: str) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _shares(files: Sequence[tuple[str, bytes]], jobs: int) -> list[list[tuple[str, bytes]]]:
    """As equal in bytes as can be, whatever the order of the files."""
    shares: list[list[tuple[str, bytes]]] = [[] for _ in range(jobs)]
    sizes = [0] * jobs
    for path, raw in sorted(files, key=lambda f: (-len(f[1]), f[0])):
        smallest = sizes.index(min(sizes))
        shares[smallest].append((path, raw))
        sizes[smallest] += len(raw)
    return shares


class _Local:
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

    def call(self, method: str, *args: Any) -> Any:
        return getattr(self.shard, method)(*args)

    def receive(self) -> Any:
        return self.answer

    def close(self) -> None:
        pass


class _Remote:
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

    def call(self, method: str, *args: Any) -> Any:
        self.send(method, *args)
        return self.receive()

    def receive(self) -> Any:
        message, value = self.pipe.recv()
        if message == "error":
            raise RuntimeError(value)
        return value

    def close(self) -> None:
        self.pipe.close()
        self.process.kill()  # it holds nothing but trees; freeing them would take a while
        self.process.join()


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
                ids, changed, gone = args
                table.update(changed)
                for key in gone:
                    del table[key]
                args = ids, table
            pipe.send(("done", getattr(shard, method)(*args)))
        except Exception as error:
            pipe.send(("error", f"{type(error).__name__}: {error}"))


def _died(path: str) -> Finding:
    message = "the parser crashed on this file (it may be nested too deeply); it was left out"
    url = registry.rules()["too-deeply-nested"].url
    return Finding("too-deeply-nested", message, path, 1, 1, 1, 2, "error", url=url)
