"""Runs programs as users do: a process of its own, with and without the sanitizer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from gotcha_sanitizer.run.record import Run, fold, read
from gotcha_sanitizer.values.finding import Finding
from tests.cheap_compiles import ANYWHERE

ROOT = Path(__file__).parents[2]
SOURCES = os.pathsep.join(str(ROOT / part) for part in ("sanitizer", "lint"))
# As `gotcha-sanitize run` does it, with nothing installed.
BOOT = """
import runpy, sys
from gotcha_sanitizer._startup import start
start()
sys.argv = sys.argv[1:]
sys.path[0] = __import__("os").path.dirname(sys.argv[0])
code = compile(open(sys.argv[0]).read(), sys.argv[0], "exec")
__file__ = sys.argv[0]
exec(code)
"""
_MARK = re.compile(
    r"# ! (?P<what>\S+)(?: (?P<function>\S+))?(?: (?P<when>since|before) (?P<version>3\.\d+))?$"
)


@dataclass(frozen=True)
class Result:
    """What a program did, and what the sanitizer recorded of it."""

    code: int
    out: str
    err: str
    run: Run

    @property
    def problems(self) -> list[Finding]:
        return self.run.problems


def run(
    program: Path,
    record: Path,
    *,
    options: str = "",
    python: str = sys.executable,
    on: bool = True,
    arguments: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
) -> Result:
    """Runs a program under the sanitizer (or not), and reads what was recorded."""
    settings = {
        "PYTHONPATH": SOURCES,
        "GOTCHA_SANITIZE": "1" if on else "",
        "GOTCHA_OPTIONS": ":".join(filter(None, (f"log_path={record}", "color=never", options))),
        "JAX_PLATFORMS": "cpu",
    }
    if python != sys.executable:  # with a JAX of another release
        settings["XLA_FLAGS"] = ANYWHERE
    done = subprocess.run(
        [python, "-c", BOOT, str(program), *arguments],
        env=os.environ | settings | (env or {}),
        capture_output=True,
        text=True,
        timeout=300,
    )
    events = read(record) if record.exists() else ()
    return Result(done.returncode, done.stdout, done.stderr, fold(events))


def marks(program: Path, python: str = "3.11") -> set[tuple[int, str, str]]:
    """(line, name/cause, function) of each `# ! name/cause function` of a program.

    ` since 3.12` and ` before 3.12` behind it hold on those Pythons only.
    """
    return {
        (number, found["what"], found["function"] or "")
        for number, line in enumerate(program.read_text("utf-8").splitlines(), 1)
        if (found := _MARK.search(line)) and _holds(found["when"], found["version"], python)
    }


def _holds(when: str | None, version: str | None, python: str) -> bool:
    """Two-digit minor versions compare as text."""
    return when is None or (when == "since") == (python >= (version or ""))


def found(result: Result) -> set[tuple[int, str, str]]:
    """The problems of a run in the form of the marks."""
    return {
        (f.site.line if f.site else 0, f"{f.name}/{f.cause}", f.function) for f in result.problems
    }
