"""A whole run: files -> findings. What a cache knows is not analysed again, nor LibCST imported."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gotcha_lint import pages, registry
from gotcha_lint.config import selection
from gotcha_lint.config.settings import Settings
from gotcha_lint.facts.releases import NEWEST, Release
from gotcha_lint.facts.user import user_facts
from gotcha_lint.files.workspace import Workspace, gather
from gotcha_lint.finding import Finding
from gotcha_lint.findings.foretelling import Foretelling
from gotcha_lint.memo.cache import Cache, Memory
from gotcha_lint.task import Failure, RuleOptions, Task
from gotcha_lint.text import source
from gotcha_lint.text.source import Source
from gotcha_lint.text.syntax import problems
from gotcha_lint.text.unreadable import Unreadable, file_finding

if TYPE_CHECKING:
    from gotcha_lint.findings.forecast import KeptUnits, Live
    from gotcha_lint.memo.file_store import KeptFiles


@dataclass
class Report:
    """The outcome of a run."""

    findings: list[Finding]
    failures: list[Failure]
    checked: int
    skipped: int = 0  # of these: without JAX, so not analysed
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


@dataclass
class Kept:
    """What a server keeps between two runs: it spares work, and changes no finding.

    `units` and `files` are replaced by those of the last run.
    """

    units: KeptUnits = field(default_factory=dict)
    files: KeptFiles = field(default_factory=dict)
    live: Live | None = None


def lint(
    files: Sequence[str],
    settings_for: Callable[[str], Settings],
    *,
    jobs: int = 1,
    screen: bool = True,
    overlay: Mapping[str, bytes] | None = None,
    progress: Callable[[int, int], None] | None = None,
    cache: Cache | None = None,
    kept: Kept | None = None,
    named: Collection[str] = (),
) -> Report:
    """Lints files. What is `kept` of an earlier run spares work; without it, the `cache` does.

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
        for error in problems(path, raw)
    ]
    failures: list[Failure] = []
    tasks = {task.path: task for task in _tasks(files, settings) if task.path in space.raw}
    memory = cache.of(space, tasks, rows) if cache is not None else None
    if memory is not None:
        findings.extend(memory.known)
        space = space.without(memory.settled)
    seconds = {"read": time.monotonic() - begun}
    left = [task for task in tasks.values() if task.path in space.raw]
    if left:
        with _remembered(memory, kept, space.raw) as known:
            found, failures = _run(space, left, known, jobs, progress, seconds)
        findings.extend(found)
        if memory is not None:
            memory.store(found, {failure.path for failure in failures})
        seconds["cache"] = time.monotonic() - begun - sum(seconds.values())
    shown = [f for f in findings if _is_shown(f, settings[f.path])]
    return Report(
        sorted(shown, key=lambda f: f.order),
        sorted({f for f in failures if f.path in settings}, key=lambda f: (f.path, f.rule)),
        len(files),
        len(space.skipped),
        seconds,
        overlay,
    )


def _run(
    space: Workspace,
    tasks: Sequence[Task],
    kept: Kept,
    jobs: int,
    progress: Callable[[int, int], None] | None,
    seconds: dict[str, float],
) -> tuple[list[Finding], list[Failure]]:
    """The engine, then each file; `seconds` says how long they took."""
    from gotcha_lint.memo.file_store import KeptFile, key_of
    from gotcha_lint.workers import pipeline

    begun = time.monotonic()
    apart = jobs > 1 and len(space.raw) >= pipeline.PARALLEL_FROM and not kept.units
    foretelling = Foretelling(space, tasks, kept.units, kept.live, processes=jobs if apart else 0)
    foretold = foretelling.tasks()
    seconds["engine"] = time.monotonic() - begun
    keys = {task.path: key_of(task, space.raw[task.path]) for task in foretold}
    known = {path: k for path, k in kept.files.items() if k.key == keys.get(path)}
    new = [task for task in foretold if task.path not in known]
    # Comments may name what only a run shows, too: the sanitizer reads them.
    names = selection.known_names(registry.rules()) | pages.names()
    checked = pipeline.check(new, space.raw, names, jobs=jobs, progress=progress)
    failures = [*foretelling.failures, *(f for each in checked.values() for f in each.failures)]
    for path, each in checked.items():
        kept.files.pop(path, None)
        if not each.failures:
            kept.files[path] = KeptFile(keys[path], each.findings)
    findings = [f for each in (*known.values(), *checked.values()) for f in each.findings]
    seconds["files"] = time.monotonic() - begun - seconds["engine"]
    return findings, failures


@contextmanager
def _remembered(memory: Memory | None, kept: Kept | None, paths: Collection[str]) -> Iterator[Kept]:
    """What earlier runs have found: in this process, else on disk, where it is kept again."""
    if kept is not None or memory is None:
        yield kept if kept is not None else Kept()
        return
    units, files = memory.units(), memory.files()
    stored = Kept(units.units(paths), files.files(paths))
    yield stored
    units.write(stored.units)
    files.write(stored.files)


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
    return gather(files, overlay, names, screen, rows=user_facts(rows))


def _tasks(paths: Iterable[str], settings: Mapping[str, Settings]) -> Iterator[Task]:
    """The rules that are on for each file: worked out once for files that are set up alike."""
    found: dict[tuple[int, frozenset[str]], Task] = {}
    for path in paths:
        own = settings[path]
        key = id(own), selection.ignored_names(own, path)
        if key not in found:
            on = selection.enabled(own, registry.rules(), path)
            options = RuleOptions(*(_target(own, library) for library in NEWEST))
            found[key] = Task("", on, options, own.all)
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
