"""The compiles of a run as a trace of Chrome's format, for Perfetto: a row each for what overlaps.

JAX's profiler writes the same format (`*.trace.json.gz`), so both open in the same viewer. XProf
itself reads only its own protocol buffers, which have no place for events of another program.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gotcha_sanitizer.run.record import Run
from gotcha_sanitizer.values.rows import STAGES
from gotcha_sanitizer.values.words import place, short

EXTRA = ""
_PROCESS = 1
_US = 1e6


def write(run: Run, path: Path) -> None:
    """Compressed where the name ends in `.gz`."""
    data = {"displayTimeUnit": "ms", "traceEvents": list(_events(run))}
    text = json.dumps(data, separators=(",", ":")).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)


def _events(run: Run) -> Iterator[dict[str, Any]]:
    argv = [str(each) for each in run.start.get("argv") or ()]
    program = short(argv[0]) if argv else "a program"
    yield _named("process_name", f"gotcha: compiles of {program}", 0)
    ends: list[float] = []  # of the last compile in each row
    for compiled in sorted(run.programs, key=lambda each: each["at"] - _took(each)):
        begin = max(0.0, compiled["at"] - _took(compiled))
        row = next((n for n, end in enumerate(ends) if end <= begin), len(ends))
        ends[row : row + 1] = [compiled["at"]]
        yield from _compile(compiled, begin, row + 1)
    yield from (_named("thread_name", "compiles", row + 1) for row in range(len(ends)))
    for sample in run.memory:
        size = {"live arrays": sample["bytes"]}
        yield _event("C", "bytes", sample["at"], 0) | {"args": size}
    for found in run.problems:
        says = {"message": found.message, "place": place(found.site), "seconds": found.seconds}
        yield _event("i", found.name, run.last, 0) | {"s": "p", "args": says}


def _compile(compiled: dict[str, Any], begin: float, row: int) -> Iterator[dict[str, Any]]:
    says = {
        "place": f"{short(compiled['path'])}:{compiled['line']}",
        "arguments": compiled["shapes"],
        "why": ", ".join(compiled["causes"]),
    }
    took = _took(compiled)
    yield _event("X", compiled["function"], begin, row) | {"dur": took * _US, "args": says}
    for stage in STAGES:
        if spent := compiled["seconds"].get(stage, 0.0):
            yield _event("X", stage, begin, row) | {"dur": spent * _US}
            begin += spent


def _took(compiled: dict[str, Any]) -> float:
    return sum(compiled["seconds"].values())


def _event(kind: str, name: str, at: float, row: int) -> dict[str, Any]:
    return {"ph": kind, "name": name, "ts": at * _US, "pid": _PROCESS, "tid": row}


def _named(what: str, name: str, row: int) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": _PROCESS, "tid": row, "args": {"name": name}}
