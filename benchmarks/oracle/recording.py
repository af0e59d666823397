"""Runs a program under the sanitizer and keeps the record, by a digest of program and versions."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from benchmarks.oracle.programs import ROOT, Program

PACKAGES = ("jax", "jaxlib", "flax", "optax", "equinox", "numpy")
TOLD = "end.json"  # how the program ended; written last
_EARLY = ("environ", "putenv")
FORMAT = 1  # of what is kept; another one runs everything again
# Some programs need more than one device. How well XLA optimises changes no cache key.
FLAGS = "--xla_force_host_platform_device_count=4 --xla_backend_optimization_level=0"


@dataclass(frozen=True)
class Recorded:
    """A program in its folder, and what the sanitizer recorded of a run there."""

    program: Program
    folder: Path
    record: Path
    end: str  # "", the exception that ended it, or "time limit"

    @property
    def files(self) -> list[str]:
        return [str(self.folder / path) for path in sorted(self.program.files)]


@cache
def _versions() -> str:
    found = [platform.python_version(), str(FORMAT)]
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return "\n".join(found)


def digest(program: Program) -> str:
    """Changes when the program does, or what it runs with."""
    state = hashlib.blake2b(_versions().encode(), digest_size=10)
    for path, text in sorted(program.files.items()):
        state.update(f"\0{path}\0{text}".encode())
    state.update(f"\0{program.start}".encode())
    return state.hexdigest()


def record(
    programs: Sequence[Program],
    kept: Path,
    *,
    limit: float,
    jobs: int,
    again: bool = False,
    run: bool = True,
) -> Iterator[Recorded]:
    """Every program with its record, in order; those that are kept are not run again.

    Without `run` only these are given.
    """
    if not run:
        programs = [each for each in programs if (kept / digest(each) / TOLD).exists()]
    servers: SimpleQueue[Server] = SimpleQueue()
    for _ in range(jobs):
        servers.put(Server())

    def one(program: Program) -> Recorded:
        server = servers.get()
        try:
            return _one(program, kept, limit, again, server)
        finally:
            servers.put(server)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            yield from pool.map(one, programs)
        finally:
            for _ in range(jobs):
                servers.get().close()


def _one(program: Program, kept: Path, limit: float, again: bool, server: Server) -> Recorded:
    """The files of a program lie where they were run: the record names them by their paths."""
    folder = (kept / digest(program)).resolve()
    work, told, log = folder / "work", folder / TOLD, folder / "run.jsonl"
    if again or not told.exists():
        shutil.rmtree(folder, ignore_errors=True)  # an interrupted run may have left files
        for path, text in program.files.items():
            file = work / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        (work / "pyproject.toml").touch()
        alone = any(word in text for text in program.files.values() for word in _EARLY)
        run = _alone if alone else server.run
        end = run(work, program.start, log, limit)
        told.write_text(json.dumps({"end": end}), "utf-8")
    return Recorded(program, work, log, json.loads(told.read_text("utf-8"))["end"])


def environment() -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("JAX_", "XLA_", "GOTCHA_"))}
    paths = (str(ROOT), str(ROOT / "sanitizer"), str(ROOT / "lint"))
    return env | {
        "PYTHONPATH": os.pathsep.join(paths),
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": FLAGS,
        "MPLBACKEND": "agg",
    }


class Server:
    """A process of `server.py`, started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def run(self, folder: Path, start: str, log: Path, limit: float) -> str:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.oracle.server"],
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self._process.stdin and self._process.stdout
        asked = {
            "folder": str(folder),
            "start": start,
            "log": str(log),
            "output": str(log.with_name("output.txt")),
            "limit": limit,
        }
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin
            self._process.stdin.close()
            self._process.wait(60)


def _alone(folder: Path, start: str, log: Path, limit: float) -> str:
    """A program that sets what JAX reads when it is imported: from its first line on."""
    env = environment()
    env["PYTHONPATH"] = os.pathsep.join((str(folder), env["PYTHONPATH"]))
    env |= {"GOTCHA_SANITIZE": "1", "GOTCHA_OPTIONS": f"log_path={log}:quiet=1"}
    try:
        done = subprocess.run(
            [sys.executable, *start.split(" ", 1)],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return "time limit"
    if not done.returncode:
        return ""
    lines = [line for line in done.stderr.splitlines() if line and not line.startswith((" ", "=="))]
    return lines[-1][:160] if lines else f"ended with status {done.returncode}"


def events(log: Path) -> list[dict[str, Any]]:
    """The programs in a record; nothing where the program never came to JAX."""
    if not log.exists():
        return []
    with log.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.endswith("\n")]
    return [row for row in rows if row["event"] == "program"]
