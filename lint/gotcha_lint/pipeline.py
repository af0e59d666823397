"""From texts to findings: parse, model, link, the rounds of the analysis, the rules."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from gotcha_lint import registry
from gotcha_lint.analysis import conventions
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import settle, waves
from gotcha_lint.analysis.survey import survey
from gotcha_lint.analysis.tables import Key
from gotcha_lint.analysis.values import Site
from gotcha_lint.drafts import Draft
from gotcha_lint.facts import Facts
from gotcha_lint.finding import Finding, Place
from gotcha_lint.pool import Pool
from gotcha_lint.shard import Loaded
from gotcha_lint.source import Span
from gotcha_lint.task import Failure, Task
from gotcha_lint.workspace import Workspace

PARALLEL_FROM = 150  # files: below, starting workers costs more than they save

Progress = Callable[[int, int], None] | None


@dataclass
class Run:
    """What an analysis keeps for questions about it (`--why`, `--coverage`)."""

    pool: Pool
    project: Project
    workspace: Workspace


class Outcome(NamedTuple):
    """Of all files that were read, asked for or not."""

    findings: list[Finding]
    failures: list[Failure]
    run: Run


def check(
    space: Workspace,
    tasks: Sequence[Task],
    facts: Facts,
    known: frozenset[str],
    *,
    jobs: int,
    progress: Progress,
    keep: bool,
) -> Outcome:
    """Runs the rules; with `keep` the analysis stays in this process, for questions about it."""
    with _without_collection():
        pool = Pool(facts, known, jobs if len(space.raw) >= PARALLEL_FROM and not keep else 1)
        run, loaded = analyse(space, pool, facts, progress)
        drafts, failures = pool.check([task for task in tasks if task.path in loaded.summaries])
        findings = _findings(drafts, pool)
        if not keep:
            pool.close()
    return Outcome([*findings, *loaded.unreadable], [*loaded.failures, *failures], run)


def analyse(space: Workspace, pool: Pool, facts: Facts, progress: Progress) -> tuple[Run, Loaded]:
    """Parses, models, links, and runs the rounds."""
    loaded = pool.load(list(space.raw.items()), progress)
    project = Project(loaded.summaries, facts)
    pool.link(project)
    seeds: dict[Key, Any] = {**conventions.module_calls(project), **loaded.seeds}
    told = settle(waves(project), seeds, pool.analyse)
    pool.finish(survey(told, project))
    return Run(pool, project, space), loaded


@contextmanager
def _without_collection() -> Iterator[None]:
    """Trees are large and full of cycles, and none is freed before the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()  # what is left of the trees is never looked at again
            gc.enable()


def _findings(drafts: Sequence[Draft], pool: Pool) -> list[Finding]:
    """Drafts with lines and columns; chains may lead into other workers' files."""
    wanted: set[Site] = {site for draft in drafts for site, _ in draft.chain}
    places = pool.places(sorted(wanted))
    spans = pool.spans([(d.path, d.start, d.end) for d in drafts])
    return [_finding(draft, span, places) for draft, span in zip(drafts, spans, strict=True)]


def _finding(draft: Draft, span: Span, places: Mapping[Site, Span]) -> Finding:
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
