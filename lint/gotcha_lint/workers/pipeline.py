"""From texts to findings: parse, model, link, the rounds of the analysis, the rules.

What an earlier run knows and what still holds of it is not worked out again.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from gotcha_lint import registry
from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.rounds import settle, waves
from gotcha_lint.analysis.usage import Usage
from gotcha_lint.facts import Facts
from gotcha_lint.files.workspace import Workspace
from gotcha_lint.finding import Finding, Place
from gotcha_lint.findings.drafts import Draft
from gotcha_lint.memo.records import (
    Found,
    FoundBy,
    Loaded,
    Log,
    Now,
    Placed,
    Record,
    Records,
    add_found,
    digests,
    record_all,
    unchanged,
)
from gotcha_lint.task import Failure, Task
from gotcha_lint.workers import conventions
from gotcha_lint.workers.pool import Pool
from gotcha_lint.workers.shard import Known
from gotcha_lint.workers.survey import survey

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
    records: Records  # for the next run
    seconds: Mapping[str, float]  # of "functions", "engine" (as far as it was waited for), "rules"


def check(
    space: Workspace,
    foretold: Callable[[], Sequence[Task]],
    facts: Facts,
    names: frozenset[str],
    *,
    jobs: int,
    progress: Progress,
    keep: bool,
    records: Records | None = None,
) -> Outcome:
    """Runs the rules; with `keep` the analysis stays in this process, for questions about it.

    `foretold` gives the tasks with their forecasts; they may be long in coming.
    `records` are those of an earlier run; where they are None, none are made for the next one.
    """
    with _without_collection():
        begun = time.monotonic()
        texts = digests(space)
        same = _same(unchanged(records or {}, texts), len(texts), jobs)
        parallel = len(texts) >= PARALLEL_FROM and not keep and not same
        pool = Pool(facts, names, jobs if parallel else 1)
        loaded, project, now, holding, log, usage = _settled(
            space, pool, same, progress, records is not None
        )
        analysed_at = time.monotonic()
        tasks = [task for task in foretold() if task.path in project.summaries]
        foretold_at = time.monotonic()
        words = pool.words(tasks)
        found = _known(holding, lambda record, one: (
            words <= one.words
            and log.repeats(one.reads)
            and now.says(one.answers, record.files, usage)
        ))  # fmt: skip
        new = [task for task in tasks if task.key not in found.get(task.path, {})]
        drafts, failures = pool.check(new, words)
        analysed, judged = pool.asked()
        add_found(found, new, _placed(drafts, pool, texts), judged, words, log, project)
        _move(found, pool, texts)
        failures = [*loaded.failures, *failures]
        shown = [one for task in tasks for one in found[task.path][task.key].drafts]
        findings = [_finding(one) for one in shown]
        if records is not None:
            records = record_all(texts, loaded, holding, analysed, found, log, failures, project)
        if not keep:
            pool.close()
    seconds = {
        "functions": analysed_at - begun,
        "engine": foretold_at - analysed_at,
        "rules": time.monotonic() - foretold_at,
    }
    run = Run(pool, project, space)
    return Outcome([*findings, *loaded.unreadable], failures, run, records or {}, seconds)


def analyse(
    space: Workspace, facts: Facts, names: frozenset[str], progress: Progress
) -> tuple[Run, list[Failure]]:
    """The analysis without the rules, for questions about it."""
    with _without_collection():
        pool = Pool(facts, names, 1)
        settled = _settled(space, pool, {}, progress, False)
    return Run(pool, settled.project, space), settled.loaded.failures


class _Settled(NamedTuple):
    """What stands when the rounds of the analysis are over."""

    loaded: Loaded
    project: Project
    now: Now
    holding: Records
    log: Log
    usage: Usage


def _settled(
    space: Workspace, pool: Pool, same: Records, progress: Progress, noted: bool
) -> _Settled:
    """Loads the files and runs the rounds. `noted`: results are kept for records."""
    loaded = _load(space, pool, same, progress)
    project = Project(loaded.summaries, pool.facts)
    now = Now(project)
    holding = now.holding(same)
    log = Log(noted)
    usage = _settle(pool, project, loaded, _results(holding) if noted else None, log)
    return _Settled(loaded, project, now, holding, log, usage)


def _same(records: Records, files: int, jobs: int) -> Records:
    """Records help one process; where most files are new, several are faster without."""
    new = files - len(records)
    return {} if jobs > 1 and new > max(len(records), PARALLEL_FROM) else records


def _load(space: Workspace, pool: Pool, same: Records, progress: Progress) -> Loaded:
    """Parses the files that are new; of the others the records say what is in them."""
    new = [(path, raw) for path, raw in space.raw.items() if path not in same]
    out = pool.load(new, progress)
    if same:
        pool.lend({path: space.raw[path] for path in same})
    for path, record in same.items():
        out.summaries[path] = record.summary
        out.seeds.update(record.seeds)
        out.unreadable.extend(record.broken)
    ordered = {path: out.summaries[path] for path in space.raw if path in out.summaries}
    return replace(out, summaries=ordered)


def _results(holding: Records) -> Known:
    every = [record.results for record in holding.values()]
    return {fid: results for each in every for fid, results in each.items()}


def _settle(pool: Pool, project: Project, loaded: Loaded, known: Known, log: Log) -> Usage:
    """Runs the rounds; results that are known are not worked out again."""
    pool.link(project, known)
    seeds = {**conventions.module_calls(project), **loaded.seeds}
    told = settle(waves(project), seeds, log.listen(pool.analyse))
    usage = survey(told, project)
    pool.finish(usage)
    return usage


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


def _known(holding: Records, stands: Callable[[Record, Found], bool]) -> FoundBy:
    """What the rules found before in each file, and would find again."""
    return {
        path: {key: found for key, found in record.found.items() if stands(record, found)}
        for path, record in holding.items()
    }


def _placed(drafts: Sequence[Draft], pool: Pool, texts: Mapping[str, bytes]) -> list[Placed]:
    """Drafts with lines and columns; chains may lead into other workers' files."""
    places = pool.places(sorted({site for draft in drafts for site, _ in draft.chain}))
    spans = pool.spans([(d.path, d.start, d.end) for d in drafts])
    return [
        Placed(
            draft,
            span,
            {site: (texts[site[0]], places[site]) for site, _ in draft.chain if site in places},
        )
        for draft, span in zip(drafts, spans, strict=True)
    ]


def _move(found: FoundBy, pool: Pool, texts: Mapping[str, bytes]) -> None:
    """Chains may lead into files that have changed since their places were found."""
    known = [one for keys in found.values() for each in keys.values() for one in each.drafts]
    old = {s for one in known for s, (text, _) in one.places.items() if texts.get(s[0]) != text}
    if not old:
        return
    places = pool.places(sorted(old))

    def moved(one: Placed) -> Placed:
        new = {s: (texts[s[0]], places[s]) for s in one.places if s in places}
        return one._replace(places={**one.places, **new})

    for keys in found.values():
        for key, each in keys.items():
            if any(site in old for one in each.drafts for site in one.places):
                keys[key] = replace(each, drafts=tuple(map(moved, each.drafts)))


def _finding(placed: Placed) -> Finding:
    draft, (line, column, end_line, end_column, cell), places = placed
    chain = tuple(
        Place(site[0], *places[site][1][:4], text, places[site][1][4])
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
        (*chain, *draft.places),
        draft.fix,
        registry.rules()[draft.name].url,
        draft.id,
        cell,
    )
