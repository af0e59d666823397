"""One worker's share of a run: parse, model, analyse, check. It keeps the trees."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import libcst as cst

from gotcha_lint import parsing, registry, source
from gotcha_lint.analysis import conventions
from gotcha_lint.analysis.model import FileModel, build
from gotcha_lint.analysis.positions import Positions
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import Result, Usage
from gotcha_lint.analysis.rounds import Shard as Analysis
from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.summary import Summary, summarise
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.values import FunctionId, Site
from gotcha_lint.checking import last_line, run_rules
from gotcha_lint.comments import Comment, Misunderstood, parse, scan
from gotcha_lint.drafts import Draft, Drafting
from gotcha_lint.facts import Facts
from gotcha_lint.finding import Finding
from gotcha_lint.rule import Rule
from gotcha_lint.source import Source
from gotcha_lint.task import Failure, RuleOptions, Task
from gotcha_lint.unreadable import Unreadable

RECURSION = 20_000  # of our own Python frames: since 3.11 they take no C stack


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loading files tells the rest of the run."""

    summaries: dict[str, Summary]
    seeds: dict[Key, Any]
    unreadable: list[Finding]
    failures: list[Failure]


Chosen = tuple[list[Rule], list[tuple[str, str]]]  # rules, and those that cannot be had, with why


class Shard:
    def __init__(self, facts: Facts, known_names: frozenset[str]) -> None:
        self.facts, self.known_names = facts, known_names
        self.sources: dict[str, Source] = {}
        self.models: dict[str, FileModel] = {}
        self.comments: dict[str, list[tuple[int, Comment | Misunderstood]]] = {}
        self._positions: dict[str, Positions] = {}
        self._analysis: Analysis | None = None
        self._rules: dict[tuple[frozenset[str], RuleOptions], Chosen] = {}
        sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))

    def load(self, files: Iterable[tuple[str, bytes]], started: Callable[[str], None]) -> Loaded:
        """Parses files; one that cannot be read becomes a finding."""
        out = Loaded({}, {}, [], [])
        for path, raw in files:
            started(path)
            try:
                self._load_one(path, raw, out)
            except Unreadable as error:
                out.unreadable.append(_file_finding(path, error))
            except RecursionError:
                error = Unreadable(
                    "too-deeply-nested", "this file is nested too deeply to be analysed"
                )
                out.unreadable.append(_file_finding(path, error))
            except Exception:
                out.failures.append(Failure(path, "model", last_line()))
        return out

    def _load_one(self, path: str, raw: bytes, out: Loaded) -> None:
        decoded = source.decode(path, raw)
        if decoded.notebook is not None:
            out.unreadable.extend(_file_finding(path, error) for error in decoded.notebook.broken)
        try:
            tree = parsing.parse(_parsable(decoded.text))
        except cst.ParserSyntaxError as error:
            raise _syntax_error(decoded, error) from None
        model = build(path, tree)
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

    def positions(self, path: str) -> Positions:
        found = self._positions.get(path)
        if found is None:
            found = self._positions[path] = Positions(
                self.models[path].tree, self.models[path].stand_ins
            )
        return found

    def link(self, project: Project) -> None:
        self._analysis = Analysis(self.models, project)

    def functions(self) -> list[FunctionId]:
        assert self._analysis is not None
        return self._analysis.functions()

    def analyse(
        self, ids: Sequence[FunctionId], table: Mapping[Key, Any]
    ) -> dict[FunctionId, Result]:
        assert self._analysis is not None
        return self._analysis.analyse(ids, table)

    def finish(self, usage: Usage) -> None:
        assert self._analysis is not None
        self._analysis.finish(usage)

    def body(self, fid: FunctionId) -> Body | None:
        return self.bodies().get(fid)

    def bodies(self) -> Mapping[FunctionId, Body]:
        """The last analysis of each function."""
        return self._analysis.bodies if self._analysis is not None else {}

    def check(self, tasks: Sequence[Task]) -> tuple[list[Draft], list[Failure]]:
        """Runs the rules over the analysed functions of these files."""
        drafts: list[Draft] = []
        failures = [
            Failure(fid[0], "analysis", error)
            for fid, error in (self._analysis.failures if self._analysis else ())
        ]
        for task in tasks:
            if task.path in self.models:
                try:
                    made, failed = self._check_file(task)
                except RecursionError:
                    made, failed = [_too_deep(task.path)], []
                drafts.extend(made)
                failures.extend(failed)
        return drafts, failures

    def _check_file(self, task: Task) -> tuple[list[Draft], list[Failure]]:
        assert self._analysis is not None
        text = self.sources[task.path].text
        failures: list[Failure] = []
        rules = self._rules_for(task, text, failures)
        model, analysed = self.models[task.path], self._analysis.bodies
        ids = ((task.path, function.number) for function in model.functions)
        reports, raised = run_rules((analysed[fid] for fid in ids if fid in analysed), rules)
        failures.extend(Failure(task.path, name, error) for name, error in raised.items())
        drafting = Drafting(
            model,
            text,
            partial(self.positions, task.path),
            self.comments.get(task.path, []),
        )
        return drafting.drafts(reports, task.rules), failures

    def _rules_for(self, task: Task, text: str, failures: list[Failure]) -> dict[type, list[Rule]]:
        """The rules that are on for a file, by the type of site they look at."""
        rules, broken = self._chosen(task.rules, task.options)
        failures.extend(Failure(task.path, name, error) for name, error in broken)
        words = {word for word in {w for rule in rules for w in rule.roots} if word in text}
        wanted: dict[type, list[Rule]] = {}
        for rule in rules:
            if not rule.roots or not rule.roots.isdisjoint(words):
                wanted.setdefault(rule.wants, []).append(rule)
        return wanted

    def _chosen(self, names: frozenset[str], options: RuleOptions) -> Chosen:
        """The rules of these names; most files want the same ones."""
        key = names, options
        if key not in self._rules:
            rules, broken = self._rules[key] = [], []
            for name in sorted(names):
                try:
                    rule = registry.load(name, options)
                    if rule is not None and rule.wants:  # asked here, as it may fail too
                        rules.append(rule)
                except Exception:
                    broken.append((name, last_line()))
        return self._rules[key]

    def places(self, sites: Iterable[Site]) -> dict[Site, tuple[int, int, int, int, int | None]]:
        """Line, column, end line, end column and cell of numbered nodes of this shard's files."""
        found: dict[Site, tuple[int, int, int, int, int | None]] = {}
        for path, number in sites:
            model = self.models.get(path)
            if model is None:
                continue
            node = model.functions[-1 - number].node if number < 0 else model.nodes[number]
            start, end = self.positions(path).span(node)
            if isinstance(node, cst.FunctionDef):
                start, end = self.positions(path).span(node.name)
            found[path, number] = span_place(self.sources[path], start, end)
        return found

    def spans(
        self, wanted: Iterable[tuple[str, int, int]]
    ) -> dict[tuple[str, int, int], tuple[int, int, int, int, int | None]]:
        """Lines and columns of spans of offsets."""
        return {(p, s, e): span_place(self.sources[p], s, e) for p, s, e in wanted}


def _too_deep(path: str) -> Draft:
    """A file whose places cannot be found: LibCST writes its tree by recursion."""
    message = "this file is nested too deeply to report on"
    return Draft("too-deeply-nested", message, path, 0, 0, "error", "high", (), None, "")


def span_place(decoded: Source, start: int, end: int) -> tuple[int, int, int, int, int | None]:
    line, column, cell = decoded.position(start)
    end_line, end_column, end_cell = decoded.position(end)
    if end_cell != cell:
        end_line, end_column = line, column
    return line, column, end_line, end_column, cell


def _file_finding(path: str, error: Unreadable) -> Finding:
    info = registry.rules().get(error.name)
    return Finding(
        name=error.name,
        message=error.message,
        path=path,
        line=error.line,
        column=error.column,
        end_line=error.line,
        end_column=error.column + 1,
        severity="error",
        url=info.url if info else "",
        cell=error.cell,
    )


def _parsable(text: str) -> str:
    """The text without what LibCST loses when it writes a tree: offsets must stay true."""
    if text.endswith("\r"):
        text = text[:-1] + "\n"
    return text.replace("\f", " ") if "\f" in text else text


def _syntax_error(decoded: Source, error: cst.ParserSyntaxError) -> Unreadable:
    """Python's own words and place where it refuses the text too; LibCST's are often a line off."""
    if decoded.notebook is None:
        try:
            ast.parse(decoded.text)
        except SyntaxError as own:
            return Unreadable(
                "syntax-error",
                f"not valid Python: {own.msg}",
                own.lineno or 1,
                max(own.offset or 1, 1),
            )
        except (ValueError, RecursionError, MemoryError):
            pass
    offset = (
        decoded.line_starts[min(error.raw_line, len(decoded.line_starts)) - 1] + error.raw_column
    )
    line, column, cell = decoded.position(min(offset, len(decoded.text)))
    message = f"not valid Python: {error.message.removeprefix('parser error: ')}"
    return Unreadable("syntax-error", message, line, column, cell)
