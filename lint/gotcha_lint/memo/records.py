"""What a run learns of files, for the runs after it: what still holds is not worked out again.

A record speaks of one file. Its summary follows from the text alone. The results of its functions
follow from what they read of others, and from what the analysis asked of the project; the findings,
from what the rules asked. Where all of that is as it was, so is the rest: a run with records finds
what a run without them finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from gotcha_lint.analysis.asked import Asked, Part, Question, part_of, stands
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import Analyse, Result, Results
from gotcha_lint.analysis.summary import Summary
from gotcha_lint.analysis.tables import Effects, Key, alike
from gotcha_lint.analysis.usage import Usage
from gotcha_lint.analysis.values import FunctionId, Site
from gotcha_lint.files.workspace import Workspace
from gotcha_lint.finding import Finding
from gotcha_lint.findings.drafts import Draft
from gotcha_lint.program.modules import module_word
from gotcha_lint.task import Failure, Task
from gotcha_lint.text.source import Span


class Placed(NamedTuple):
    """A draft with its lines and columns, and those of its reason chain.

    A place holds as long as the text of its file does, whose digest stands beside it.
    """

    draft: Draft
    span: Span
    places: Mapping[Site, tuple[bytes, Span]]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading files tells the rest of the run."""

    summaries: dict[str, Summary]
    seeds: dict[Key, Any]
    unreadable: list[Finding]
    failures: list[Failure]


@dataclass(frozen=True, slots=True)
class Answers:
    """What was asked of the project for a file, with what it said."""

    parts: Mapping[Part, Any]
    modules: frozenset[str]  # the last words of those that were looked for
    others: Mapping[Question, Any]

    @staticmethod
    def to(asked: Asked, project: Project) -> Answers:
        parts = {part: part_of(project.summaries[part[0]], part) for part in asked.parts}
        return Answers(parts, frozenset(asked.modules), dict(asked.answers))

    def again(self) -> Asked:
        """The questions."""
        asked = Asked()
        asked.parts.update(self.parts)
        asked.modules.update(self.modules)
        asked.answers.update(self.others)
        return asked


@dataclass(frozen=True, slots=True)
class Found:
    """What a set of rules found in a file, and what that follows from."""

    drafts: tuple[Placed, ...]
    reads: Mapping[FunctionId, Effects]  # by the analysis that the rules looked at
    answers: Answers
    words: frozenset[str]  # of all files: rules that need others have not looked


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a file."""

    digest: bytes
    files: frozenset[str]  # of the run
    summary: Summary
    seeds: Mapping[Key, Any]
    broken: tuple[Finding, ...]  # cells of a notebook that could not be read
    results: Mapping[FunctionId, Sequence[Result]]
    answers: Answers
    found: Mapping[str, Found]  # by the set of rules


Records = dict[str, Record]
FoundBy = dict[str, dict[str, Found]]  # by file, and by the set of rules


def digests(space: Workspace) -> dict[str, bytes]:
    return {path: blake2b(raw, digest_size=16).digest() for path, raw in space.raw.items()}


def unchanged(records: Records, texts: Mapping[str, bytes]) -> Records:
    """The records of files whose texts, given by their digests, are as they were."""
    return {
        path: records[path]
        for path, text in texts.items()
        if path in records and records[path].digest == text
    }


class Now:
    """A project as it is now, to be asked again."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._moved: dict[frozenset[str], frozenset[str]] = {}

    def holding(self, records: Records) -> Records:
        """Those whose results hold."""
        return {p: r for p, r in records.items() if self.says(r.answers, r.files)}

    def says(self, answers: Answers, files: frozenset[str], usage: Usage | None = None) -> bool:
        """Whether it answers as the one of these files did."""
        moved = self._words_of_moved(files)
        return (
            "" not in moved
            and moved.isdisjoint(answers.modules)
            and all(self._part(part, answer) for part, answer in answers.parts.items())
            and all(self._other(q, answer, usage) for q, answer in answers.others.items())
        )

    def _words_of_moved(self, files: frozenset[str]) -> frozenset[str]:
        """By what names the files are imported that came or went; "" for packages."""
        if files not in self._moved:
            moved = files ^ self.project.summaries.keys()
            self._moved[files] = frozenset(map(module_word, moved))
        return self._moved[files]

    def _part(self, part: Part, answer: Any) -> bool:
        summary = self.project.summaries.get(part[0])
        return summary is not None and part_of(summary, part) == answer

    def _other(self, question: Question, answer: Any, usage: Usage | None) -> bool:
        if question[0] in Usage._fields:
            return usage is not None and stands(usage, question, answer)
        about = question[1] if isinstance(question[1], str) else question[1][0]
        if about not in self.project.summaries:
            return False
        return getattr(self.project, question[0])(*question[1:]) == answer


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
        return all(fid in self.last and _alike(self.last[fid][1], r) for fid, r in reads.items())


def _alike(reads: Effects, others: Effects) -> bool:
    return reads is others or (
        reads.keys() == others.keys() and all(alike(reads[key], others[key]) for key in reads)
    )


def add_found(
    found: FoundBy,
    tasks: Sequence[Task],
    placed: Sequence[Placed],
    judged: Mapping[str, Asked],
    words: frozenset[str],
    log: Log,
    project: Project,
) -> None:
    """Adds what the rules have found now."""
    by_path: dict[str, list[Placed]] = {}
    for one in placed:
        by_path.setdefault(one.draft.path, []).append(one)
    for task in tasks:
        own = tuple(by_path.get(task.path, ()))
        answers = Answers.to(judged.get(task.path, Asked()), project)
        reads = log.reads(project.summaries[task.path])
        known = found.setdefault(task.path, {})
        for key in [key for key in known if key.split()[0] == task.asks]:
            del known[key]  # of other forecasts: the project has changed
        known[task.key] = Found(own, reads, answers, words)


def record_all(
    texts: Mapping[str, bytes],
    loaded: Loaded,
    holding: Records,
    analysed: Mapping[str, Asked],
    found: FoundBy,
    log: Log,
    failures: Sequence[Failure],
    project: Project,
) -> Records:
    """What this run knows of its files, but for those that it failed on."""
    failed = {failure.path for failure in failures}
    files = frozenset(loaded.summaries)
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
        asked = holding[path].answers.again() if path in holding else Asked()
        asked.add(analysed.get(path, Asked()))
        records[path] = Record(
            texts[path],
            files,
            summary,
            seeds.get(path, {}),
            tuple(broken.get(path, ())),
            results.get(path, {}),
            Answers.to(asked, project),
            found.get(path, {}),
        )
    return records
