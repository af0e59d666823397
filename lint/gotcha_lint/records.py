"""What a run learns of files, for the runs after it: what still holds is not worked out again.

A record speaks of one file. Its summary follows from the text alone. The results of its functions
follow from what they read of others, and from what the analysis asked of the project; the findings,
from what the rules asked. Where all of that is as it was, so is the rest: a run with records finds
what a run without them finds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from secrets import token_hex
from typing import Any, NamedTuple

from gotcha_lint.analysis.asked import Asked, Part, part_of, stands
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import Analyse, Result, Results
from gotcha_lint.analysis.summary import Summary
from gotcha_lint.analysis.tables import Effects, Key
from gotcha_lint.analysis.usage import Usage
from gotcha_lint.analysis.values import FunctionId, Site
from gotcha_lint.drafts import Draft
from gotcha_lint.finding import Finding
from gotcha_lint.modules import module_word
from gotcha_lint.shard import Loaded
from gotcha_lint.source import Span
from gotcha_lint.task import Failure, Task
from gotcha_lint.workspace import Workspace


class Placed(NamedTuple):
    """A draft with its lines and columns, and those of its reason chain."""

    draft: Draft
    span: Span
    places: Mapping[Site, Span]


@dataclass(frozen=True, slots=True)
class Found:
    """What a set of rules found in a file, and what that follows from."""

    drafts: tuple[Placed, ...]
    reads: Mapping[FunctionId, Effects]  # by the analysis that the rules looked at
    asked: Asked
    words: frozenset[str]  # of all files: rules that need others have not looked


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a file."""

    run: str  # records of the same run speak of each other
    digest: bytes
    summary: Summary
    seeds: Mapping[Key, Any]
    broken: tuple[Finding, ...]  # cells of a notebook that could not be read
    results: Mapping[FunctionId, Sequence[Result]]
    asked: Asked
    found: Mapping[str, Found]  # by the set of rules


Records = dict[str, Record]
FoundBy = dict[str, dict[str, Found]]  # by file, and by the set of rules


def _digest(raw: bytes) -> bytes:
    return blake2b(raw, digest_size=16).digest()


@dataclass(frozen=True)
class Past:
    """The records of files that are as they were, and of those that have changed or are gone."""

    same: Records = field(default_factory=dict)
    gone: Records = field(default_factory=dict)

    @staticmethod
    def of(records: Records, space: Workspace) -> Past:
        """For each component the records of one run: of the one that knows most of its files."""
        runs: dict[str, str] = {}
        for component in space.components:
            known = Counter(records[path].run for path in component if path in records)
            if known:
                runs |= dict.fromkeys(component, known.most_common(1)[0][0])
        past, wanted = Past(), set(runs.values())
        for path, record in records.items():
            if record.run in wanted:
                raw = space.raw.get(path)
                own = raw is not None and runs.get(path) == record.run
                same = own and record.digest == _digest(raw or b"")
                (past.same if same else past.gone)[path] = record
        return past


@dataclass(frozen=True)
class Changed:
    """What is not as it was in the declarations of a project."""

    declared: Mapping[str, tuple[Summary, Summary]]  # of files that declare something else
    moved: frozenset[str]  # files that came or went
    modules: frozenset[str]  # the last words of their names; "" for packages

    @staticmethod
    def between(past: Past, project: Project) -> Changed:
        declared = {}
        for path in past.gone.keys() & project.summaries.keys():
            both = _declared(past.gone[path].summary), _declared(project.summaries[path])
            if both[0] != both[1]:
                declared[path] = both
        moved = (past.same.keys() | past.gone.keys()) ^ project.summaries.keys()
        return Changed(declared, frozenset(moved), frozenset(map(module_word, moved)))

    def holding(self, past: Past, project: Project) -> Records:
        """The records of unchanged files whose results hold in the project as it is now."""
        return {p: record for p, record in past.same.items() if self.leaves(record.asked, project)}

    def leaves(self, asked: Asked, project: Project, usage: Usage | None = None) -> bool:
        """Whether what was asked would be answered as it was."""
        return (
            "" not in self.modules
            and self.modules.isdisjoint(asked.modules)
            and all(map(self._leaves_part, asked.parts))
            and all(_holds(q, answer, project, usage) for q, answer in asked.answers.items())
        )

    def _leaves_part(self, part: Part) -> bool:
        both = self.declared.get(part[0])
        if both is not None:
            return part_of(both[0], part) == part_of(both[1], part)
        return part[0] not in self.moved


def _holds(question: Any, answer: Any, project: Project, usage: Usage | None) -> bool:
    if question[0] in Usage._fields:
        return usage is not None and stands(usage, question, answer)
    about = question[1] if isinstance(question[1], str) else question[1][0]
    return about in project.summaries and getattr(project, question[0])(*question[1:]) == answer


def _declared(summary: Summary) -> Summary:
    """Which functions a body names matters to the order of the rounds alone."""
    plain = tuple(function._replace(uses=frozenset()) for function in summary.functions)
    return summary._replace(functions=plain)


class Log:
    """All results of a run, as they come, if they are to be recorded; none otherwise."""

    def __init__(self, records: bool) -> None:
        self._records = records
        self.results: dict[FunctionId, list[Result]] = {}
        self.last: dict[FunctionId, Result] = {}

    def listen(self, analyse: Analyse) -> Analyse:
        def heard(ids: list[FunctionId], table: Mapping[Key, Any], changed: Set[Key]) -> Any:
            for part in analyse(ids, table, changed):
                self._take(part)
                yield part

        return heard if self._records else analyse

    def _take(self, part: Results) -> None:
        for fid, result in part.items():
            self.last[fid] = result
            known = self.results.setdefault(fid, [])
            if not any(one is result for one in known):
                known.append(result)

    def reads(self, summary: Summary) -> dict[FunctionId, Effects]:
        """What the last analysis of each function of a file read."""
        ids = ((summary.path, number) for number in range(len(summary.functions)))
        return {fid: self.last[fid][1] for fid in ids if fid in self.last}

    def repeats(self, reads: Mapping[FunctionId, Effects]) -> bool:
        """Whether the last analysis of these functions read the same."""
        return all(fid in self.last and self.last[fid][1] == read for fid, read in reads.items())


def add_found(
    found: FoundBy,
    tasks: Sequence[Task],
    placed: Sequence[Placed],
    judged: Mapping[str, Asked],
    words: frozenset[str],
    log: Log,
    summaries: Mapping[str, Summary],
) -> None:
    """Adds what the rules have found now."""
    by_path: dict[str, list[Placed]] = {}
    for one in placed:
        by_path.setdefault(one.draft.path, []).append(one)
    for task in tasks:
        own = tuple(by_path.get(task.path, ()))
        reads, asked = log.reads(summaries[task.path]), judged.get(task.path, Asked())
        found.setdefault(task.path, {})[task.key] = Found(own, reads, asked, words)


def record_all(
    space: Workspace,
    loaded: Loaded,
    holding: Records,
    analysed: Mapping[str, Asked],
    found: FoundBy,
    log: Log,
    failures: Sequence[Failure],
) -> Records:
    """What this run knows of its files, but for those that it failed on."""
    failed = {failure.path for failure in failures}
    runs = {path: run for part in space.components for run in [token_hex(8)] for path in part}
    seeds: dict[str, dict[Key, Any]] = {}
    for key, value in loaded.seeds.items():
        seeds.setdefault(key[1][0], {})[key] = value
    broken: dict[str, list[Finding]] = {}
    for finding in loaded.unreadable:
        broken.setdefault(finding.path, []).append(finding)
    results: dict[str, dict[FunctionId, Sequence[Result]]] = {}
    for fid, known in log.results.items():
        results.setdefault(fid[0], {})[fid] = known
    records: Records = {}
    for path, summary in loaded.summaries.items():
        if path in failed:
            continue
        asked = Asked()
        if path in holding:
            asked.add(holding[path].asked)
        asked.add(analysed.get(path, Asked()))
        records[path] = Record(
            runs[path],
            _digest(space.raw[path]),
            summary,
            seeds.get(path, {}),
            tuple(broken.get(path, ())),
            results.get(path, {}),
            asked,
            found.get(path, {}),
        )
    return records
