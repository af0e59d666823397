"""Records of runs, made by hand, so that what is shown of them is the same every time."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gotcha_sanitizer.run.record import fold, summary
from gotcha_sanitizer.values.finding import Finding, as_dict

Json = dict[str, Any]


def start(**given: Any) -> Json:
    return {
        "event": "start",
        "at": 0.0,
        "time": 1_700_000_000.0,
        "version": "0.2.0",
        "jax": "0.12.0",
        "python": "3.13.0",
        "platform": "Linux",
        "pid": 7,
        "argv": ["train.py", "--steps", "100"],
        "checks": ["recompile"],
        "redact": False,
        **given,
    }


def program(number: int, at: float, **given: Any) -> Json:
    """One program of `step`, defined at src/train.py:10 and called at line 41."""
    return {
        "event": "program",
        "at": at,
        "program": number,
        "function": "step",
        "owner": "user",
        "eager": "",
        "defined": ["src/train.py", 10],
        "path": "src/train.py",
        "line": 41,
        "stack": [["src/train.py", 41, "main"]],
        "library": None,
        "loop": True,
        "retraced": True,
        "cached": None,
        "seconds": {"trace": 1.0, "lower": 0.5, "compile": 8.0},
        "shapes": f"x: float32[8,{number}]",
        "causes": ["shape"] if number > 1 else [],
        "why": [f"x: float32[8,{number - 1}] -> float32[8,{number}]"] if number > 1 else [],
        **given,
    }


def finding(**given: Any) -> Json:
    from gotcha_sanitizer.values.parts import Site

    values: Json = {
        "name": "recompile",
        "message": "`step` was compiled 2 more times: another shape: x: float32[8,2] -> "
        "float32[8,3]",
        "site": Site("src/train.py", 41, "main"),
        "advice": "pad to a few fixed sizes, with a mask",
        "function": "step",
        "cause": "shape",
        "causes": ("shape",),
        "count": 2,
        "seconds": 19.0,
        "chain": ((Site("src/train.py", 10), "step is defined here"),),
        "evidence": {"differences": ["x: float32[8,2] -> float32[8,3]"]},
    }
    return {**as_dict(Finding(**(values | given))), "event": "finding", "at": 1.0}


def ended(events: Iterable[Json]) -> list[Json]:
    """With the summary that they add up to."""
    kept = list(events)
    return [*kept, summary(fold(kept)) | {"at": 100.0, "self_seconds": 0.02}]


def storm() -> list[Json]:
    """Three programs of one function, a note, host reads, memory, and something not seen."""
    return ended(
        [
            start(),
            *(program(n, 10.0 * n) for n in (1, 2, 3)),
            program(4, 31.0, function="add", owner="jax", eager="op", line=44, causes=[], why=[]),
            {"event": "reads", "at": 90.0, "rows": [READ]},
            *({"event": "memory", "at": 5.0 * n, **_memory(n)} for n in range(1, 20)),
            finding(),
            CONSTANT,
            finding(cause="dtype", causes=("dtype",), severity="info", seconds=1.0),
            {"event": "degraded", "feature": "calls", "why": "Python 3.12 and later only"},
        ]
    )


CONSTANT = finding(
    name="large-constant-captured",
    message="`W`, float32[1024,512], 2 MiB, is baked into `step`",
    advice="pass `W` as an argument",
    cause="",
    causes=(),
    seconds=0.0,
    count=1,
    evidence={"variable": "W"},
)

READ = {
    "path": "src/train.py",
    "line": 43,
    "function": "main",
    "how": "__float__",
    "count": 100,
    "waits": 100,
    "waited": 2.6,
    "looked": 10,
    "idle": 0,
    "loop": True,
}


def _memory(n: int) -> Json:
    return {"bytes": n * 2**20, "arrays": n, "resident": 2**28 + n * 2**20}


def write(path: Path, events: Iterable[Json]) -> Path:
    path.write_text("".join(json.dumps(event) + "\n" for event in events), "utf-8")
    return path
