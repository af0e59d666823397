"""A whole run: files -> models -> linked project -> rules -> findings."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gotcha_lint import facts, pages, registry, selection, source
from gotcha_lint.analysis import conventions
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import Fixpoint, settle, usage, waves
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.values import Site
from gotcha_lint.config import Settings
from gotcha_lint.drafts import Draft
from gotcha_lint.finding import Finding, Place
from gotcha_lint.rule import RuleOptions
from gotcha_lint.shard import Failure, Loaded, Task
from gotcha_lint.source import Source
from gotcha_lint.unreadable import Unreadable
from gotcha_lint.workers import Pool
from gotcha_lint.workspace import Workspace, gather

PARALLEL_FROM = 150  # files: below, starting workers costs more than they save


@dataclass
class Report:
    """The outcome of a run."""

    findings: list[Finding]
    failures: list[Failure]
    checked: int
    state: Run | None = None
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    _sources: dict[str, Source | None] = field(default_factory=dict)

    def source(self, path: str) -> Source | None:
        """The text of a file, to show excerpts of it; None if it cannot be read."""
        if path not in self._sources:
            try:
                raw = self.overlay.get(path)
                self._sources[path] = source.read(path) if raw is None else source.decode(path, raw)
            except Unreadable:
                self._sources[path] = None
        return self._sources[path]

    @cached_property
    def coverage(self) -> Any:
        from gotcha_lint.coverage import measure

        return measure(self.state) if self.state is not None else None


@dataclass
class Run:
    """What an analysis keeps for questions about it (`--why`, `--coverage`)."""

    pool: Pool
    project: Project
    fixpoint: Fixpoint
    workspace: Workspace


def lint(
    files: Sequence[str],
    settings_for: Callable[[str], Settings],
    *,
    jobs: int = 1,
    screen: bool = True,
    overlay: Mapping[str, bytes] | None = None,
    progress: Callable[[int, int], None] | None = None,
    keep: bool = False,
) -> Report:
    """Lints files. With `keep` the analysis stays in the report, for questions about it."""
    overlay = overlay or {}
    settings = {path: settings_for(path) for path in files}
    table = _table(settings.values())
    # Comments may name what only a run shows, too: the sanitizer reads them.
    known = selection.known_names(registry.rules()) | pages.names()
    space = gather(files, overlay, _roots(settings.values()), screen)
    findings = [_unreadable(path, why) for path, why in space.unreadable.items()]
    enabled = gc.isenabled()
    gc.disable()  # trees are large and full of cycles; none is freed before the end
    try:
        pool = Pool(table, known, jobs if len(space.raw) >= PARALLEL_FROM and not keep else 1)
        run, loaded = analyse(space, pool, table, progress)
        tasks = _tasks((path for path in files if path in loaded.summaries), settings)
        drafts, failures = pool.check(list(tasks))
        findings.extend(_findings(drafts, pool))
        if not keep:
            pool.close()
    finally:
        if enabled:
            gc.freeze()  # what is left of the trees is never looked at again
            gc.enable()
    asked = set(files)
    findings.extend(f for f in loaded.unreadable if f.path in asked)
    shown = [f for f in findings if _is_shown(f, settings[f.path])]
    failures = [f for f in (*loaded.failures, *failures) if f.path in asked]
    return Report(
        sorted(shown, key=lambda f: f.order),
        sorted(set(failures), key=lambda f: (f.path, f.rule)),
        len(files),
        run if keep else None,
        overlay,
    )


def analyse(
    space: Workspace, pool: Pool, table: facts.Facts, progress: Callable[[int, int], None] | None
) -> tuple[Run, Loaded]:
    """Parses, models, links, and runs the rounds."""
    loaded = pool.load(list(space.raw.items()), progress)
    project = Project(loaded.summaries, table)
    pool.link(project)
    seeds: dict[Key, Any] = {**conventions.module_calls(project), **loaded.seeds}
    state = settle(waves(project), seeds, pool.analyse)
    pool.finish(usage(state.table, project))
    return Run(pool, project, state, space), loaded


def _tasks(paths: Iterable[str], settings: Mapping[str, Settings]) -> Iterator[Task]:
    """The rules that are on for each file: worked out once for files that are set up alike."""
    found: dict[tuple[int, frozenset[str]], tuple[frozenset[str], RuleOptions]] = {}
    for path in paths:
        own = settings[path]
        key = id(own), selection.ignored_names(own, path)
        if key not in found:
            target = tuple(int(part) for part in (own.target_jax or "0.10").split(".")[:2])
            on = selection.enabled(own, registry.rules(), path)
            found[key] = on, RuleOptions(target)
        yield Task(path, *found[key])


def _is_shown(finding: Finding, settings: Settings) -> bool:
    """Findings about a file as a whole are shown whatever is selected, unless ignored by name."""
    if registry.rules()[finding.name].module:
        return True
    return selection.reports_file_finding(settings, finding.name, finding.path)


def _table(settings: Iterable[Settings]) -> facts.Facts:
    """The facts, with the rows that users gave."""
    rows: dict[str, Mapping[str, object]] = {}
    for one in settings:
        rows.update(one.facts)
    return facts.load().with_user_rows(rows)


def _roots(settings: Iterable[Settings]) -> frozenset[str]:
    return frozenset(name.partition(".")[0] for one in settings for name in one.facts)


def _findings(drafts: Sequence[Draft], pool: Pool) -> list[Finding]:
    """Drafts with lines and columns; chains may lead into other workers' files."""
    wanted: set[Site] = {site for draft in drafts for site, _ in draft.chain}
    places = pool.places(sorted(wanted))
    spans = pool.spans([(d.path, d.start, d.end) for d in drafts])
    return [_finding(draft, span, places) for draft, span in zip(drafts, spans, strict=True)]


def _finding(
    draft: Draft,
    span: tuple[int, int, int, int, int | None],
    places: Mapping[Site, tuple[int, int, int, int, int | None]],
) -> Finding:
    line, column, end_line, end_column, cell = span
    chain = tuple(
        Place(site[0], *places[site][:4], text, places[site][4])
        for site, text in draft.chain
        if site in places
    )
    return Finding(
        draft.name,
        draft.message,
        draft.path,
        line,
        column,
        end_line,
        end_column,
        draft.severity,
        draft.confidence,
        chain,
        draft.fix,
        registry.rules()[draft.name].url,
        draft.id,
        cell,
    )


def _unreadable(path: str, why: str) -> Finding:
    message = f"cannot be read: {why}"
    url = registry.rules()["unreadable-file"].url
    return Finding("unreadable-file", message, path, 1, 1, 1, 2, "error", url=url)
