"""A whole run: files -> findings. What a cache knows is not analysed again, nor LibCST imported."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache as once
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from gotcha_lint import facts, pages, registry
from gotcha_lint.config import selection
from gotcha_lint.config.settings import Settings
from gotcha_lint.facts.releases import NEWEST, Release
from gotcha_lint.files.workspace import Workspace, gather
from gotcha_lint.finding import Finding
from gotcha_lint.findings.foretelling import Foretelling
from gotcha_lint.memo.cache import Cache
from gotcha_lint.task import Failure, RuleOptions, Task
from gotcha_lint.text import source
from gotcha_lint.text.source import Source
from gotcha_lint.text.unreadable import Unreadable, file_finding
from gotcha_lint.text.unwarned import unwarned

if TYPE_CHECKING:
    from gotcha_lint.findings.forecast import KeptUnits, Live
    from gotcha_lint.memo.records import Records
    from gotcha_lint.workers.pipeline import Outcome, Run


@dataclass
class Report:
    """The outcome of a run."""

    findings: list[Finding]
    failures: list[Failure]
    checked: int
    skipped: int = 0  # of these: without JAX, so not analysed
    state: Run | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)  # by stage: "read", "engine", ...
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
        from gotcha_lint.workers.coverage import measure

        return measure(self.state) if self.state is not None else None


def lint(
    files: Sequence[str],
    settings_for: Callable[[str], Settings],
    *,
    jobs: int = 1,
    screen: bool = True,
    overlay: Mapping[str, bytes] | None = None,
    progress: Callable[[int, int], None] | None = None,
    keep: bool = False,
    cache: Cache | None = None,
    records: Records | None = None,
    kept_units: KeptUnits | None = None,
    live: Live | None = None,
    named: Collection[str] = (),
) -> Report:
    """Lints files. With `keep` the analysis stays in the report, for questions about it.

    `records` and `kept_units` of an earlier run spare work; they are replaced by those of this one.
    What is `live` is what a server has in memory besides.
    A file in `named` that uses no JAX is not analysed, but it has to be valid Python.
    """
    begun = time.monotonic()
    overlay = overlay or {}
    settings = {path: settings_for(path) for path in files}
    rows = _user_rows(settings.values())
    space = _gathered(files, overlay, rows, screen)
    findings = [_unreadable(path, why) for path, why in space.unreadable.items()]
    findings += [
        file_finding(path, error)
        for path, raw in space.skipped.items()
        if path in named
        for error in parse_errors(path, raw)
    ]
    failures: list[Failure] = []
    tasks = {task.path: task for task in _tasks(files, settings) if task.path in space.raw}
    memory = cache.of(space, tasks, rows) if cache is not None and not keep else None
    if memory is not None:
        findings.extend(memory.known)
        space = space.without(memory.settled)
    run = None
    seconds = {"read": time.monotonic() - begun}
    if space.raw or keep:
        from gotcha_lint.workers import pipeline

        # Comments may name what only a run shows, too: the sanitizer reads them.
        names = selection.known_names(registry.rules()) | pages.names()
        left = [task for task in tasks.values() if task.path in space.raw]
        units = memory.units() if memory is not None and kept_units is None else None
        known = units.units(space.raw) if units is not None else kept_units
        apart = jobs > 1 and len(space.raw) >= pipeline.PARALLEL_FROM and not (keep or known)
        processes = jobs if apart else 0
        foretelling = Foretelling(space, left, known, live, processes=processes)
        table = facts.load().with_user_rows(rows)
        store = memory.records() if memory is not None and records is None else None
        foretold = once(foretelling.tasks)
        before = time.monotonic()
        if not apart:
            foretold()  # first: what it needs is free again before trees are made
        waited = time.monotonic() - before
        check = partial(
            pipeline.check,
            space,
            foretold,
            table,
            names,
            jobs=jobs,
            progress=progress,
            keep=keep,
        )
        done = _with_stored(check, store.records(space.raw)) if store else check(records=records)
        seconds |= done.seconds
        seconds["engine"] += waited
        broken = foretelling.failures
        failures.extend(f for f in broken if f.path in settings)
        if units is not None and known is not None:
            units.write(known)
        if store is not None:
            store.write(done.records)
        elif records is not None:
            records.update(done.records)
        findings.extend(f for f in done.findings if f.path in settings)
        failures.extend(f for f in done.failures if f.path in settings)
        run = done.run
        if memory is not None:
            memory.store(done.findings, {failure.path for failure in (*broken, *done.failures)})
    shown = [f for f in findings if _is_shown(f, settings[f.path])]
    return Report(
        sorted(shown, key=lambda f: f.order),
        sorted(set(failures), key=lambda f: (f.path, f.rule)),
        len(files),
        len(space.skipped),
        run if keep else None,
        seconds,
        overlay,
    )


@dataclass(frozen=True)
class Analysed:
    """The analysis of a file, for questions about it; no rule has run.

    `near`: the file, some that import it and what these import, for the engine; `partial` if there
    are more that import it. `left_out`: those that the analysis has not read either.
    """

    path: str
    run: Run
    near: Workspace
    partial: bool
    left_out: int
    failures: Sequence[Failure]


# Of a file that is asked about: files that import it. More take long, and say little that is new.
_READ, _RUN = 30, 4


def analysed(
    path: str,
    settings_for: Callable[[str], Settings],
    *,
    screen: bool = True,
    overlay: Mapping[str, bytes] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Analysed:
    """Analyses one file with files that import it and what these import.

    Of a large project this is a small part: where records of all of it were read instead, checking
    them took longer than this.
    """
    from gotcha_lint.workers import pipeline

    rows = _user_rows([settings_for(path)])
    space = _gathered([path], overlay or {}, rows, screen)
    near, left_out = space.around(path, _READ)
    run, failures = pipeline.analyse(
        near,
        facts.load().with_user_rows(rows),
        selection.known_names(registry.rules()) | pages.names(),
        progress,
    )
    few, others = space.around(path, _RUN)
    return Analysed(path, run, few, others > 0, left_out, failures)


def workspace(
    files: Sequence[str],
    settings_for: Callable[[str], Settings],
    overlay: Mapping[str, bytes],
    screen: bool,
) -> Workspace:
    """The files that have to be read to lint these."""
    rows = _user_rows(settings_for(path) for path in files)
    return _gathered(files, overlay, rows, screen)


def _gathered(
    files: Sequence[str],
    overlay: Mapping[str, bytes],
    rows: Mapping[str, Mapping[str, object]],
    screen: bool,
) -> Workspace:
    names = frozenset(name.partition(".")[0] for name in rows)
    table = facts.load().with_user_rows(rows) if rows else None
    said = {name: table.get(table.canonical(name)) for name in rows} if table is not None else {}
    return gather(files, overlay, names, screen, rows=said)


def parse_errors(path: str, raw: bytes) -> list[Unreadable]:
    """Why a file is no Python; nothing where this Python's parser accepts it."""
    try:
        decoded = source.decode(path, raw)
        if decoded.notebook is not None:
            return list(decoded.notebook.broken)
        if decoded.magics is not None:
            return [decoded.magics.error]
        try:
            with unwarned():
                ast.parse(decoded.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # LibCST has the last word: the code may be newer than this Python.
            from gotcha_lint.text.reading import tree_of

            tree_of(decoded)
    except Unreadable as error:
        return [error]
    return []


def _with_stored(check: Callable[..., Outcome], records: Records) -> Outcome:
    """A fault of ours in what was kept costs the time that it would have saved."""
    try:
        return check(records=records)
    except Exception:
        if not records:
            raise
        return check(records={})


def _tasks(paths: Iterable[str], settings: Mapping[str, Settings]) -> Iterator[Task]:
    """The rules that are on for each file: worked out once for files that are set up alike."""
    found: dict[tuple[int, frozenset[str]], Task] = {}
    for path in paths:
        own = settings[path]
        key = id(own), selection.ignored_names(own, path)
        if key not in found:
            on = selection.enabled(own, registry.rules(), path)
            options = RuleOptions(*(_target(own, library) for library in NEWEST))
            foresees = selection.foreseeing(own, registry.rules(), path)
            found[key] = Task("", on, options, foresees, own.all)
        yield replace(found[key], path=path)


def _target(own: Settings, library: str) -> Release:
    """`target-jax = "0.10"` and the like; the patch level of JAX does not count."""
    written = getattr(own, f"target_{library}")
    if written is None:
        return NEWEST[library]
    parts = tuple(map(int, written.split(".")))
    return parts[:2] if library == "jax" else parts


def _is_shown(finding: Finding, settings: Settings) -> bool:
    """Findings about a file as a whole are shown whatever is selected, unless ignored by name."""
    if registry.rules()[finding.name].module:
        return True
    return selection.reports_file_finding(settings, finding.name, finding.path)


def _user_rows(settings: Iterable[Settings]) -> dict[str, Mapping[str, object]]:
    """What users added to the facts."""
    rows: dict[str, Mapping[str, object]] = {}
    for one in settings:
        rows.update(one.facts)
    return rows


def _unreadable(path: str, why: str) -> Finding:
    message = f"cannot be read: {why}"
    url = registry.rules()["unreadable-file"].url
    return Finding("unreadable-file", message, path, 1, 1, 1, 2, "error", url=url)
