"""One worker's share of a run: parse, model, analyse, check. It keeps the trees."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import libcst as cst

from gotcha_lint.analysis.asked import Asked, watched
from gotcha_lint.analysis.building import build
from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.positions import Positions
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import Result, tell
from gotcha_lint.analysis.rounds import Shard as Analysis
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import summarise
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.usage import UNTOLD, Usage
from gotcha_lint.analysis.values import FunctionId, Site
from gotcha_lint.facts import Facts
from gotcha_lint.findings.checking import Chooser, run_rules
from gotcha_lint.findings.drafting import Drafting
from gotcha_lint.findings.drafts import Draft
from gotcha_lint.memo.records import Loaded
from gotcha_lint.output.last_line import last_line
from gotcha_lint.task import Failure, Task
from gotcha_lint.text import source
from gotcha_lint.text.comments import Comment, Misunderstood, parse, scan
from gotcha_lint.text.reading import tree_of
from gotcha_lint.text.source import Source, Span
from gotcha_lint.text.unreadable import Unreadable, file_finding
from gotcha_lint.workers import conventions

Known = Mapping[FunctionId, Sequence[Result]] | None  # results of earlier runs
RECURSION = 20_000  # of our own Python frames: since 3.11 they take no C stack


class Shard:
    def __init__(self, facts: Facts, known_names: frozenset[str]) -> None:
        self.facts, self.known_names = facts, known_names
        self.sources: dict[str, Source] = {}
        self.models: dict[str, FileModel] = {}
        self.comments: dict[str, list[tuple[int, Comment | Misunderstood]]] = {}
        self.judged: dict[str, Asked] = {}  # of the project, by the rules, for each file
        self._unread: dict[str, bytes] = {}
        self._usage = UNTOLD
        self._notes = False
        self._positions: dict[str, Positions] = {}
        self._analysis: Analysis | None = None
        self._chooser = Chooser()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))

    def load(self, files: Iterable[tuple[str, bytes]], started: Callable[[str], None]) -> Loaded:
        """Parses files; one that cannot be read becomes a finding."""
        out = Loaded({}, {}, [], [])
        for path, raw in files:
            started(path)
            try:
                self._load_one(path, raw, out)
            except Unreadable as error:
                out.unreadable.append(file_finding(path, error))
            except RecursionError:
                error = Unreadable(
                    "too-deeply-nested", "this file is nested too deeply to be analysed"
                )
                out.unreadable.append(file_finding(path, error))
            except Exception:
                out.failures.append(Failure(path, "model", last_line()))
        return out

    def _load_one(self, path: str, raw: bytes, out: Loaded) -> None:
        decoded = source.decode(path, raw)
        if decoded.notebook is not None:
            out.unreadable.extend(file_finding(path, error) for error in decoded.notebook.broken)
        if decoded.magics is not None:
            out.unreadable.append(file_finding(path, decoded.magics.error))
        model = build(path, tree_of(decoded))
        self.sources[path], self.models[path] = decoded, model
        if "gotcha" in decoded.text:
            self._read_comments(path, decoded.text, model, out)
        out.summaries[path] = summarise(model)

    def _read_comments(self, path: str, text: str, model: FileModel, out: Loaded) -> None:
        found = [
            (offset, parse(comment, self.known_names))
            for offset, comment in scan(text)
            if offset in self.positions(path).comments
        ]
        self.comments[path] = [(offset, comment) for offset, comment in found if comment]
        understood = [(o, c) for o, c in self.comments[path] if isinstance(c, Comment)]
        out.seeds.update(conventions.declarations(model, self.positions(path), understood, text))

    def lend(self, files: Mapping[str, bytes]) -> None:
        """Files whose summaries are known from before: they are read when they are asked for."""
        self._unread.update(files)

    def model_of(self, path: str) -> FileModel | None:
        raw = self._unread.pop(path, None)
        if raw is not None:
            self.load([(path, raw)], lambda path: None)
        return self.models.get(path)

    def positions(self, path: str) -> Positions:
        found = self._positions.get(path)
        if found is None:
            model, text = self.models[path], self.sources[path].text
            found = self._positions[path] = Positions(model.tree, text, model.stand_ins)
        return found

    def link(self, project: Project, known: Known) -> None:
        """The rounds begin; without `known` (None) nothing is noted for the next run."""
        self._analysis = Analysis(self.model_of, project, known)
        self._notes = known is not None

    def analyse(
        self, ids: Sequence[FunctionId], table: Mapping[Key, Any]
    ) -> dict[FunctionId, Result]:
        assert self._analysis is not None
        return self._analysis.analyse(ids, table)

    def finish(self, usage: Usage) -> None:
        assert self._analysis is not None
        self._usage = usage
        self._analysis.finish(usage)

    def body(self, fid: FunctionId) -> Body | None:
        return self.bodies().get(fid)

    def bodies(self) -> Mapping[FunctionId, Body]:
        """The last analysis of each function."""
        return self._analysis.bodies if self._analysis is not None else {}

    def words(self, tasks: Sequence[Task]) -> frozenset[str]:
        """What the texts of this shard have of the words that rules cannot do without."""
        texts = (source.text for source in self.sources.values())
        unread = (raw.decode("utf-8", "replace") for raw in self._unread.values())
        return self._chooser.words(tasks, chain(texts, unread))

    def asked(self) -> tuple[Mapping[str, Asked], Mapping[str, Asked]]:
        """What was asked of the project for each file: by the analysis, and by the rules."""
        return (self._analysis.asked if self._analysis is not None else {}), self.judged

    def check(
        self, tasks: Sequence[Task], words: frozenset[str]
    ) -> tuple[list[Draft], list[Failure]]:
        """Runs the rules over the analysed functions of these files; `words` are of all shards."""
        drafts: list[Draft] = []
        failures = [
            Failure(fid[0], "analysis", error)
            for fid, error in (self._analysis.lost.items() if self._analysis else ())
        ]
        for task in tasks:
            if self.model_of(task.path) is not None:
                try:
                    made, failed = self._check_file(task, words)
                except RecursionError:
                    made, failed = [_too_deep(task.path)], []
                drafts.extend(made)
                failures.extend(failed)
        return drafts, failures

    def _check_file(self, task: Task, words: frozenset[str]) -> tuple[list[Draft], list[Failure]]:
        assert self._analysis is not None
        rules, failures = self._chooser.rules(task, words)
        model = self.models[task.path]
        reports, raised = run_rules(self._bodies_of(model), rules)
        self._analysis.project.asked = Asked()
        failures.extend(Failure(task.path, name, error) for name, error in raised.items())
        drafting = Drafting(
            model,
            self.sources[task.path],
            partial(self.positions, task.path),
            self.comments.get(task.path, []),
        )
        return drafting.drafts(reports, task), failures

    def _bodies_of(self, model: FileModel) -> list[Body]:
        """The analysed functions of a file, for rules: what they ask of the project is noted."""
        assert self._analysis is not None
        found = (self._analysis.body((model.path, f.number)) for f in model.functions)
        bodies = [body for body in found if body is not None]
        asked = self._analysis.project.asked = Asked()
        if self._notes:
            self.judged[model.path] = asked
        usage = watched(self._usage, asked.answers)
        for body in bodies:
            tell(body, usage)
        return bodies

    def places(self, sites: Iterable[Site]) -> dict[Site, Span]:
        """Line, column, end line, end column and cell of numbered nodes of this shard's files."""
        found: dict[Site, Span] = {}
        for path, number in sites:
            model = self.model_of(path)
            if model is None:
                continue
            node = model.functions[-1 - number].node if number < 0 else model.node(number)
            start, end = self.positions(path).span(node)
            if isinstance(node, cst.FunctionDef):
                start, end = self.positions(path).span(node.name)
            found[path, number] = self.sources[path].between(start, end)
        return found

    def spans(self, wanted: Iterable[tuple[str, int, int]]) -> dict[tuple[str, int, int], Span]:
        """Lines and columns of spans of offsets."""
        return {(p, s, e): self.sources[p].between(s, e) for p, s, e in wanted}


def _too_deep(path: str) -> Draft:
    """A file whose places cannot be found: LibCST writes its tree by recursion."""
    message = "this file is nested too deeply to report on"
    return Draft("too-deeply-nested", message, path, 0, 0, "error", "high", (), None, "")
