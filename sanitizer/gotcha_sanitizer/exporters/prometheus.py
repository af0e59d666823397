"""Prometheus text: for the textfile collector of a node exporter, or a push gateway."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.words import short

EXTRA = "prometheus"


def write(run: Run, path: Path) -> None:
    """Gauges, for each file is the state of one run. Raises ImportError without the library."""
    from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

    registry = CollectorRegistry()

    def gauge(name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"gotcha_{name}", text, labels, registry=registry)

    compiles = gauge("compiles", "Programs compiled.", "function", "file", "eager")
    spent = gauge("compile_seconds", "Seconds.", "function", "file", "eager", "stage")
    counts: Counter[tuple[str, str, str]] = Counter()
    seconds: defaultdict[tuple[str, str, str, str], float] = defaultdict(float)
    for row in run.rows.values():
        key = row.function, short(row.path), row.eager
        counts[key] += row.compiles
        for stage, took in row.seconds.items():
            seconds[(*key, stage)] += took
    for key, count in counts.items():
        compiles.labels(*key).set(count)
    for labels, took in seconds.items():
        spent.labels(*labels).set(took)
    _findings(run, gauge("findings", "Findings.", "name", "severity"),
              gauge("lost_seconds", "Seconds that findings cost.", "name"))  # fmt: skip
    waits = gauge("host_wait_seconds", "Seconds that reads waited.", "file", "line", "how")
    for read in run.reads.values():
        waits.labels(short(read["path"]), str(read["line"]), read["how"]).set(read["waited"])
    if run.memory:
        gauge("live_bytes", "Bytes of live arrays, now.").set(run.memory[-1]["bytes"])
    gauge("run_seconds", "Seconds since the run began.").set(run.last)
    gauge("run_complete", "1 where the run has ended.").set(int(run.complete))
    write_to_textfile(str(path), registry)  # whole, or not at all


def _findings(run: Run, found: object, lost: object) -> None:
    every = (*run.problems, *run.notes)
    for (name, severity), count in Counter((f.name, f.severity) for f in every).items():
        found.labels(name, severity).set(count)  # type: ignore[attr-defined]
    seconds: defaultdict[str, float] = defaultdict(float)
    for finding in every:
        seconds[finding.name] += finding.seconds
    for name, took in seconds.items():
        lost.labels(name).set(took)  # type: ignore[attr-defined]
