"""A flat JSON object, name to number: what the `log` of any tracker of experiments takes.

wandb.log(json.load(open("gotcha.json")))
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

from gotcha_sanitizer.run.record import Run

EXTRA = ""  # Python alone


def write(run: Run, path: Path) -> None:
    path.write_text(json.dumps(flat(run), indent=1) + "\n", "utf-8")


def flat(run: Run) -> dict[str, float]:
    """Counts, seconds and bytes of a run; of functions with one name the sum."""
    out: defaultdict[str, float] = defaultdict(float)
    every = (*run.problems, *run.notes)
    out["gotcha/compiles"] = run.count("compiles")
    out["gotcha/findings"] = len(run.problems)
    out["gotcha/run_seconds"] = run.last
    out["gotcha/lost_seconds"] = sum(finding.seconds for finding in every)
    out["gotcha/host_wait_seconds"] = sum(read["waited"] for read in run.reads.values())
    if run.memory:
        out["gotcha/live_bytes"] = run.memory[-1]["bytes"]
    for row in run.rows.values():
        for stage, took in row.seconds.items():
            out[f"gotcha/{stage}_seconds"] += took
        if not row.eager:
            out[f"gotcha/compiles/{row.function}"] += row.compiles
    for name, count in Counter(finding.name for finding in run.problems).items():
        out[f"gotcha/findings/{name}"] = count
    return dict(out)
