"""The last runs: a small record of each, in the user's cache folder, for `report --last`.

It is written at the end of a run that compiled something, so that the rest of a report can be read
without another run. It holds names, places, shapes, causes, seconds and the sentences of findings;
neither source lines, nor arguments of the program, nor evidence. Only the user may read it.
Its name has the time, the process and a digest of the working directory, so that `--last` finds the
run of this folder while other programs run.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from gotcha_sanitizer.run.record import BadRecord, Json, Run
from gotcha_sanitizer.values.finding import as_dict

KEPT = 10  # of a working directory
KEPT_IN_ALL = 100
_PROGRAMS = 2_000  # of a run; all are counted in the summary
_LEFT_OUT = ("turn", "why")  # of programs: they hold values


def folder() -> Path:
    """Where the records are; `GOTCHA_CACHE_DIR`, else the system's folder for caches."""
    if own := os.environ.get("GOTCHA_CACHE_DIR"):
        return Path(own) / "runs"
    local = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    return Path(local or Path.home() / ".cache") / "gotcha-lint" / "runs"


def newest() -> Path:
    """The record of the last run here, else of the last run. Raises BadRecord without any."""
    found = _records(folder(), _here()) or _records(folder())
    if not found:
        text = "no run was kept yet; GOTCHA_SANITIZE=1 python train.py makes one"
        raise BadRecord(f"--last: {text}")
    return found[-1]


def keep(run: Run) -> None:
    """Writes the record of this process, and removes all but the last ones. Raises OSError."""
    where = folder()
    where.mkdir(parents=True, exist_ok=True, mode=0o700)
    at = f"{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**9:09}"
    name = f"{at}-{os.getpid()}-{_here()}.jsonl"
    unfinished = where / f".{name}.part"
    text = "".join(json.dumps(event, default=str) + "\n" for event in _events(run))
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    unfinished.replace(where / name)
    for old in (*_records(where, _here())[:-KEPT], *_records(where)[:-KEPT_IN_ALL]):
        with suppress(OSError):  # another run removes it, too
            old.unlink()


def _here() -> str:
    """A digest of the working directory; empty where it is gone."""
    try:
        return hashlib.sha256(os.fsencode(os.getcwd())).hexdigest()[:12]
    except OSError:
        return ""


def _records(where: Path, here: str = "") -> list[Path]:
    """Oldest first, as their names begin with the time; only those of a folder, if it is given."""
    found = where.glob(f"*-{here}.jsonl" if here else "*.jsonl")
    return sorted(path for path in found if not path.name.startswith("."))


def _events(run: Run) -> Iterator[Json]:
    yield run.start | {"argv": run.start.get("argv", [])[:1]}
    for program in run.programs[:_PROGRAMS]:
        yield {key: each for key, each in program.items() if key not in _LEFT_OUT} | {"why": []}
    if run.reads:
        yield {"event": "reads", "at": run.last, "rows": list(run.reads.values())}
    for finding in run.findings.values():
        yield as_dict(replace(finding, evidence={})) | {"event": "finding", "at": run.last}
    for feature, why in run.degraded.items():
        yield {"event": "degraded", "feature": feature, "why": why}
    yield run.summary
