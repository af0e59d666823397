"""One JSON object: totals of each process, findings, degraded features; see schemas/report.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from gotcha_lint import __version__
from gotcha_sanitizer.run.record import Run, summary
from gotcha_sanitizer.values.finding import as_dict
from gotcha_sanitizer.values.rows import Inlined, Row, Sums


def render(run: Run, processes: Sequence[Run] = ()) -> str:
    whole = {
        "version": __version__,
        "totals": _totals(run),
        "processes": [_process(each) for each in processes or [run]],
        "functions": [_function(row) for row in sorted(run.rows.values(), key=lambda r: -r.total)],
        "inlined": [_only_inlined(each) for each in run.only_inlined],
        "findings": [as_dict(finding) for finding in (*run.problems, *run.notes)],
        "degraded": run.degraded,
        "divergence": run.divergence,
    }
    return json.dumps(whole, indent=2) + "\n"


def _totals(run: Run) -> dict[str, Any]:
    totals = {key: value for key, value in summary(run).items() if key != "event"}
    return totals | {"complete": run.complete, "wall_seconds": round(run.last, 4)}


def _process(run: Run) -> dict[str, Any]:
    known = ("pid", "time", "jax", "python", "platform", "argv")
    return {key: run.start.get(key) for key in known} | _totals(run)


def _function(row: Row) -> dict[str, Any]:
    return {
        "function": row.function,
        "path": row.path,
        "line": row.line,
        "owner": row.owner,
        "eager": row.eager,
        **_sums(row),
        "calls": [
            {"path": site.path, "line": site.line, **_sums(sums)} for site, sums in row.callers
        ],
    }


def _sums(sums: Sums) -> dict[str, Any]:
    return {
        "programs": sums.programs,
        "traces": sums.traces,
        "compiles": sums.compiles,
        "cache_hits": sums.cache_hits,
        "seconds": {stage: round(took, 6) for stage, took in sums.seconds.items()},
        "causes": sums.causes,
    }


def _only_inlined(each: Inlined) -> dict[str, Any]:
    return {"function": each.name, "path": each.path, "line": each.line, "within": each.within}
