"""Runs programs and reads what they did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.planted.linting import ROOT
from benchmarks.planted.symptoms import Outcome

COMMAND = [sys.executable, "-m", "benchmarks.planted.server"]


class Runner:
    """A process that forks for each program; compiled programs are kept in `cache`."""

    def __init__(self, cache: Path) -> None:
        self._environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("JAX_", "XLA_", "GOTCHA_"))
        } | {
            "PYTHONPATH": str(ROOT),
            "JAX_PLATFORMS": "cpu",
            "JAX_COMPILATION_CACHE_DIR": str(cache),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "XLA_FLAGS": "--xla_backend_optimization_level=0",
        }
        self._server = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
        )

    def run(self, folder: Path, host: str, *, fresh: bool = False) -> Outcome:
        if fresh:
            command = [*COMMAND, str(folder), host]
            subprocess.run(command, env=self._environment, check=False, timeout=300)
        else:
            assert self._server.stdin and self._server.stdout
            self._server.stdin.write(f"{folder} {host}\n")
            self._server.stdin.flush()
            self._server.stdout.readline()
        return outcome(folder)

    def close(self) -> None:
        assert self._server.stdin
        self._server.stdin.close()
        self._server.wait(30)


@contextmanager
def running(cache: Path) -> Iterator[Runner]:
    runner = Runner(cache)
    try:
        yield runner
    finally:
        runner.close()


def outcome(folder: Path) -> Outcome:
    """What the program in a folder left behind."""
    file, log = folder / "outcome.json", folder / "output.txt"
    output = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    left = tuple(sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*")))
    if not file.exists():
        return Outcome(error=f"ended without a result: {output[-200:]}", output=output, left=left)
    record = json.loads(file.read_text(encoding="utf-8"))
    record["warned"] = tuple(record["warned"])
    return Outcome(**record, output=output, left=left)
