"""A run so far as one event: what a record begins with after it was folded for its size.

Sums are exact; of programs and samples of memory a bounded number is kept.
"""

from __future__ import annotations

from typing import Any

from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.finding import as_dict
from gotcha_sanitizer.values.rows import Row, Sums

Json = dict[str, Any]
_PROGRAMS = 2000  # kept: the first of each function, then by time
_EACH = 16
_SAMPLES = 1000  # of memory


def folded(run: Run) -> Json:
    """The event that `unfolded.restored` takes back."""
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
