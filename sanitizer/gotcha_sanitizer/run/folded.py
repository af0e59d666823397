"""A run so far as one event: what a record begins with after it was folded for its size.

Sums are exact; of programs and samples of memory a bounded number is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gotcha_sanitizer.explain.savings import Counted
from gotcha_sanitizer.values.finding import as_dict, from_dict
from gotcha_sanitizer.values.parts import Site
from gotcha_sanitizer.values.rows import STAGES, Inlined, Row, Sums

if TYPE_CHECKING:
    from gotcha_sanitizer.run.record import Run

Json = dict[str, Any]
_PROGRAMS = 2000  # kept: the first of each function, then by time
_EACH = 16
_SAMPLES = 1000  # of memory


def folded(run: Run) -> Json:
    """The event that `restore` takes back."""
    return {
        "event": "folded",
        "at": round(run.last, 4),
        "rows": [_row(row) for row in run.rows.values()],
        "inlined": [
            [each.name, each.path, each.line, each.within] for each in run.inlined.values()
        ],
        "avals": dict(run.avals),
        "programs": _some_programs(run),
        "memory": run.memory[:: max(1, len(run.memory) // _SAMPLES)],
        "turns": [[*loop, each.turns, each.value, each.whole] for loop, each in run.turns.items()],
        "reads": list(run.reads.values()),
        "findings": [as_dict(finding) for finding in run.findings.values()],
        "degraded": dict(run.degraded),
        "host": dict(run.host),
        "busy": [round(run.busy, 4), round(run.busy_until, 4)],
    }


def restore(run: Run, event: Mapping[str, Any]) -> None:
    """Puts what the event holds in place of all that the run has, but its start."""
    run.rows = {key: row for key, row in map(_read_row, event["rows"])}
    run.inlined = {(path, line): Inlined(n, path, line, w) for n, path, line, w in event["inlined"]}
    run.avals = dict(event["avals"])
    run.programs = list(event["programs"])
    run.memory = list(event["memory"])
    run.turns = {(path, line): Counted(*counted) for path, line, *counted in event["turns"]}
    run.reads = {(each["path"], each["line"], each["how"]): each for each in event["reads"]}
    run.findings = {each["id"]: from_dict(each) for each in event["findings"]}
    run.degraded = dict(event["degraded"])
    run.host = dict(event["host"])
    run.busy, run.busy_until = event["busy"]


def _some_programs(run: Run) -> list[Json]:
    seen: dict[object, int] = {}
    kept: list[Json] = []
    for program in run.programs:
        key = (program["function"], *program["defined"], program["eager"])
        seen[key] = seen.get(key, 0) + 1
        if seen[key] <= _EACH and len(kept) < _PROGRAMS:
            kept.append(program)
    return kept


def _row(row: Row) -> Json:
    own = {name: getattr(row, name) for name in ("function", "owner", "eager", "path", "line")}
    return {**own, **_sums(row), "calls": [[list(at), _sums(s)] for at, s in row.calls.items()]}


def _sums(sums: Sums) -> Json:
    counts = (sums.programs, sums.traces, sums.compiles, sums.cache_hits)
    seconds = {stage: round(took, 6) for stage, took in sums.seconds.items() if took}
    return {"counts": list(counts), "seconds": seconds, "causes": sums.causes}


def _read_row(data: Mapping[str, Any]) -> tuple[tuple[str, str, int, str], Row]:
    own = {name: data[name] for name in ("function", "owner", "eager", "path", "line")}
    calls = {Site(*at): Sums(**_read_sums(sums)) for at, sums in data["calls"]}
    row = Row(**own, calls=calls, **_read_sums(data))
    kind = "" if row.owner == "user" else row.eager
    return (row.function, row.path, row.line, kind), row


def _read_sums(data: Mapping[str, Any]) -> Json:
    names = ("programs", "traces", "compiles", "cache_hits")
    seconds = dict.fromkeys(STAGES, 0.0) | data["seconds"]
    return dict(zip(names, data["counts"], strict=True)) | {
        "seconds": seconds,
        "causes": dict(data["causes"]),
    }
