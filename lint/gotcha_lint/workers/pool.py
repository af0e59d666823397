"""The files of a run, shared out among workers: all are asked, and their answers are joined."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any

from gotcha_lint.analysis.asked import Asked
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import Results
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.usage import Usage
from gotcha_lint.analysis.values import FunctionId, Site
from gotcha_lint.facts import Facts
from gotcha_lint.findings.drafts import Draft
from gotcha_lint.memo.records import Loaded
from gotcha_lint.task import Failure, Task
from gotcha_lint.text.source import Span
from gotcha_lint.workers.rounds_apart import packed_news, unpacked
from gotcha_lint.workers.shard import Known, Shard
from gotcha_lint.workers.worker import Local, Remote, answers

Progress = Callable[[int, int], None]


class Pool:
    """One or several shards. All methods take and give data of the whole run."""

    def __init__(self, facts: Facts, known: frozenset[str], jobs: int) -> None:
        self.facts, self.known, self.jobs = facts, known, max(1, jobs)
        self.shards: list[Local | Remote] = []
        self.owner: dict[str, int] = {}

    def load(self, files: Sequence[tuple[str, bytes]], progress: Progress | None) -> Loaded:
        """Shares the files out by size; each is parsed once."""
        shares = _shares(files, self.jobs)
        for number, share in enumerate(shares):
            self.owner.update((path, number) for path, _ in share)
        kind = Local if self.jobs == 1 else Remote
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

    def lend(self, files: Mapping[str, bytes]) -> None:
        """Files whose summaries are known: of one process, which reads those that it needs."""
        self.owner.update(dict.fromkeys(files, 0))
        self.local().lend(files)

    def link(self, project: Project, known: Known) -> None:
        for shard in self.shards:
            shard.send("link", project, known)
        self._gather()

    def asked(self) -> tuple[dict[str, Asked], dict[str, Asked]]:
        """What was asked of the project for each file: by the analysis, and by the rules."""
        for shard in self.shards:
            shard.send("asked")
        parts = self._gather()
        analysed = {path: asked for part, _ in parts for path, asked in part.items()}
        judged = {path: asked for _, part in parts for path, asked in part.items()}
        return analysed, judged

    def analyse(
        self, ids: Sequence[FunctionId], table: Mapping[Key, Any], changed: Set[Key]
    ) -> Iterator[Results]:
        """One round over these functions; workers get only what changed in the table."""
        if self.jobs == 1:
            yield self.local().analyse(ids, table) if self.shards else {}
            return
        news = packed_news(table, changed)
        for number, shard in enumerate(self.shards):
            shard.send("analyse", [fid for fid in ids if self.owner[fid[0]] == number], news)
        for answer in answers(self.shards):
            yield unpacked(answer, table)

    def finish(self, usage: Usage) -> None:
        """The rounds are over: tells the shards what only rules ask for."""
        for shard in self.shards:
            shard.send("finish", usage)
        self._gather()

    def words(self, tasks: Sequence[Task]) -> frozenset[str]:
        """What the texts of this run have of the words that rules cannot do without."""
        for shard in self.shards:
            shard.send("words", tasks)
        return frozenset().union(*self._gather())

    def check(
        self, tasks: Sequence[Task], words: frozenset[str]
    ) -> tuple[list[Draft], list[Failure]]:
        for number, shard in enumerate(self.shards):
            shard.send("check", [task for task in tasks if self.owner[task.path] == number], words)
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
        """The one shard of a run in one process, as those are that are kept for questions."""
        shard = self.shards[0]
        assert isinstance(shard, Local)
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
    """About equal in bytes, folder by folder: most files of one are analysed in the same wave."""
    shares: list[list[tuple[str, bytes]]] = [[] for _ in range(jobs)]
    sizes = [0] * jobs
    for path, raw in sorted(files, key=lambda f: (os.path.dirname(f[0]), -len(f[1]), f[0])):
        smallest = sizes.index(min(sizes))
        shares[smallest].append((path, raw))
        sizes[smallest] += len(raw)
    return shares
