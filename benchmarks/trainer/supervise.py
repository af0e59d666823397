"""Runs families one after another, each in its own process and within its own time.

A family that runs out of memory, crashes or takes too long becomes a row that says so, and what it
had measured until then is kept.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.trainer import process
from benchmarks.trainer.families import families
from benchmarks.trainer.row import Row
from reference_trainer.config import ConfigError

MINUTES = {"cpu": 45.0, "gpu": 7.7}  # for all families
UNOPTIMISED = "--xla_backend_optimization_level=0"  # compiles in half of the time


@dataclass(frozen=True)
class Measured:
    """What a family gave, and how long it took."""

    family: str
    rows: tuple[Row, ...]
    seconds: float


def about(platform: str) -> dict[str, Any]:
    """The machine that will be measured; ConfigError where there is no such platform."""
    try:
        return process.result(process.start("child", platform))
    except process.Failed as error:
        raise ConfigError(str(error)) from None


def chosen(names: Sequence[str], platform: str) -> dict[str, int]:
    """Families and their seconds: those named in their order, else the longest first; ConfigError.

    The end may be cut off.
    """
    found = families()
    if platform not in MINUTES:
        raise ConfigError(f"a {platform} is not measured; there is --platform cpu")
    for name in names:
        if name not in found:
            raise ConfigError(f"no measurement {name!r}; there are: {', '.join(found)}")
        if platform not in found[name].SECONDS:
            raise ConfigError(f"{name} is not measured on a {platform}")
    seconds = {name: found[name].SECONDS.get(platform, 0) for name in names or found}
    if not names:
        seconds = dict(sorted(seconds.items(), key=lambda x: (-x[1], x[0])))
    return {name: s for name, s in seconds.items() if s}


def elsewhere(platform: str) -> list[str]:
    """Families that are for another platform."""
    return [name for name, family in families().items() if platform not in family.SECONDS]


def run(
    seconds: dict[str, int],
    platform: str,
    quick: bool,
    minutes: float,
    tell: Callable[[Measured], None],
) -> list[Measured]:
    """`tell` hears of each family when it is done."""
    found, end = [], time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as programs:
        for name, limit in seconds.items():
            left = min(limit, end - time.monotonic())
            if left < 1:
                row = Row(name, None, note="no time was left; ask for it by name")
                measured = Measured(name, (row,), 0.0)
            else:
                measured = one(name, platform, quick, left, programs)
            tell(measured)
            found.append(measured)
    return found


def one(name: str, platform: str, quick: bool, limit: float, programs: str = "") -> Measured:
    """One family in a new process, which is ended after `limit` seconds.

    On a GPU it finds the compiled `programs` of the families before it: time there is dear.
    """
    arguments = [platform, name, *(["quick"] if quick else [])]
    flags = {"XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {UNOPTIMISED}"} if quick else {}
    if programs and platform == "gpu":
        flags["JAX_COMPILATION_CACHE_DIR"] = programs
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            process.command("child", *arguments),
            env=process.environment(**flags),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,  # its own processes are ended with it
        )
        late = threading.Event()
        timer = threading.Timer(limit, _end, (child, late))
        timer.start()
        try:
            rows = [Row(**json.loads(line)) for line in child.stdout or ()]
            child.wait()
        finally:
            timer.cancel()
            if child.poll() is None:
                _end(child, late)
        errors.seek(0)
        if late.is_set():
            rows.append(Row(name, None, note=f"ended after {limit:.0f} s"))
        elif child.returncode:
            reason = process.last_line(errors.read())
            rows.append(Row(name, None, note=f"exit code {child.returncode}: {reason[:160]}"))
    return Measured(name, tuple(rows), time.monotonic() - start)


def _end(child: subprocess.Popen[str], late: threading.Event) -> None:
    late.set()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
