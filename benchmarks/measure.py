"""Running a command as a child process: what it cost, all of its own children included."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).resolve().parent.parent
OURS = (sys.executable, "-m", "gotcha_lint")
# getrusage counts KiB on Linux and bytes on macOS.
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Run:
    """One finished command. A code below zero is the signal that ended it."""

    cpu: float
    wall: float
    peak_mib: float
    """The largest resident set of one process (children are not added up)."""
    code: int
    late: bool
    """It was ended for running past its limit."""
    output: str
    errors: str


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a measured command: this checkout's linter, no colours.

    Bytecode may be kept, as an installation keeps it: else every run would compile the linter.
    """
    paths = [str(REPOSITORY / "lint"), *filter(None, [os.environ.get("PYTHONPATH")])]
    ours = {"PYTHONPATH": os.pathsep.join(paths), "NO_COLOR": "1"}
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, **ours, **(extra or {})}


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    limit: float = 600.0,
    env: Mapping[str, str] | None = None,
) -> Run:
    """Run a command to its end, or end it with all its children after `limit` seconds."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(
            command,
            cwd=cwd,
            env=dict(env or environment()),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        late = threading.Event()
        timer = threading.Timer(limit, _end, (child.pid, late))
        timer.start()
        try:
            # wait4, not wait: it alone says what this child and those it waited for have used.
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            _end(child.pid, late)
            raise
        finally:
            timer.cancel()
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        return Run(
            cpu=usage.ru_utime + usage.ru_stime,
            wall=wall,
            peak_mib=usage.ru_maxrss * RSS_UNIT / 2**20,
            code=child.returncode,
            late=late.is_set(),
            output=_text(output),
            errors=_text(errors),
        )


def _end(pid: int, late: threading.Event) -> None:
    late.set()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")
