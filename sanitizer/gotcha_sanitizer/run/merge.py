"""Several records of one run, of its hosts and worker processes, as one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gotcha_sanitizer.run.record import Json, Run, summary
from gotcha_sanitizer.values.finding import Finding
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.words import place, plural


def merge(runs: Sequence[Run]) -> Run:
    """All of them on one clock, that of the process which started first."""
    if len(runs) == 1:
        return runs[0]
    begun = [run.start.get("time", 0.0) for run in runs]
    whole = Run(start=dict(runs[begun.index(min(begun))].start) if runs else {})
    whole.start["redact"] = any(run.start.get("redact") for run in runs)
    for run, began in zip(runs, begun, strict=True):
        _take(whole, run, began - min(begun))
    whole.programs.sort(key=lambda event: event["at"])
    whole.memory.sort(key=lambda event: event["at"])
    live = next((run.divergence for run in runs if run.divergence), "")
    whole.wait = next((run.wait for run in runs if run.wait), "")
    whole.divergence = divergence(runs) or live
    if all(run.complete for run in runs):
        whole.summary = summary(whole)
    return whole


def divergence(runs: Sequence[Run]) -> str:
    """The first program that two hosts did not compile alike; empty where all did, or one ran.

    Hosts run the same programs in the same order, or wait for each other forever.
    """
    hosts = sorted((run for run in runs if run.host), key=lambda run: run.host["index"])
    for other in hosts[1:]:
        first, second = _compiled(hosts[0]), _compiled(other)
        same = 0
        while same < min(len(first), len(second)) and _alike(first[same], second[same]):
            same += 1
        if same < max(len(first), len(second)):
            sides = _side(hosts[0], first[same:]), _side(other, second[same:])
            return f"after {plural(same, 'program')} in common, {sides[0]}, but {sides[1]}"
    return ""


def _compiled(run: Run) -> list[Json]:
    """The programs that were made to run; operations outside of jit are each host's own."""
    made = (each for each in run.programs if {"compile", "load"} & each["seconds"].keys())
    return [each for each in made if not each["eager"] and each.get("spans", True)]


def _alike(a: Json, b: Json) -> bool:
    known = a.get("digest") and b.get("digest")
    same = not known or a["digest"] == b["digest"]
    return same and (a["function"], a["shapes"]) == (b["function"], b["shapes"])


def _side(run: Run, rest: Sequence[Json]) -> str:
    who = f"host {run.host['index']}"
    if not rest:
        return f"{who} compiled nothing more"
    first = rest[0]
    site = Site(first["path"], first["line"])
    return f"{who} compiled `{first['function']}` ({first['shapes']}) at {place(site)}"


def _take(whole: Run, run: Run, later: float) -> None:
    whole.last = max(whole.last, run.last + later)
    pid = run.start.get("pid", 0)
    for name, size in run.footprints.items():
        whole.footprints[name] = max(size, whole.footprints.get(name, 0))
    for name in ("programs", "memory"):
        events: list[Json] = getattr(run, name)
        getattr(whole, name).extend({**e, "at": e["at"] + later, "pid": pid} for e in events)
    for key, row in run.rows.items():
        if key in whole.rows:
            whole.rows[key].add(row)
        else:
            whole.rows[key] = row.copy()
    whole.avals |= run.avals
    for loop, counted in run.turns.items():  # hosts run the same loop: the longest counts
        if loop not in whole.turns or counted.turns > whole.turns[loop].turns:
            whole.turns[loop] = counted
    for each in run.inlined.values():
        whole.take_inlined(each)
    for at, read in run.reads.items():
        whole.reads[at] = _reads(whole.reads[at], read) if at in whole.reads else read
    for name, finding in run.findings.items():
        before = whole.findings.get(name)
        whole.findings[name] = _findings(before, finding) if before else finding
    for feature, why in run.degraded.items():
        whole.degraded.setdefault(feature, why)


def _reads(a: Json, b: Json) -> Json:
    added = {name: a.get(name, 0) + b.get(name, 0) for name in ("count", "waited", "waits")}
    return {**a, **added}


def _findings(a: Finding, b: Finding) -> Finding:
    """The one that was seen more often speaks; both are counted."""
    said = max(a, b, key=lambda finding: (finding.severity != "info", finding.count))
    return replace(said, count=a.count + b.count, seconds=a.seconds + b.seconds)
