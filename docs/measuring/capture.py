"""One example measured: the linter over the bad code, both programs under the sanitizer."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gotcha_lint.registry import rules
from gotcha_sanitizer.run.record import Run, fold, read
from measuring.programs import ROOT, Pair, plain

NAME = "train.py"
CHILD = Path(__file__).with_name("child.py")
SOURCES = os.pathsep.join(str(ROOT / part) for part in ("sanitizer", "lint"))
# Some examples need more than one device.
DEVICES = "--xla_force_host_platform_device_count=4"
_REPORT = re.compile(
    r"^==\d+==gotcha: (?:no findings|\d+ findings?);[^\n]*\n"
    r"(?P<blocks>.*?)(?=^  compiled  |^  note: |^  degraded: |\Z)",
    re.M | re.S,
)
_CRASH = re.compile(r"^==\d+==(?P<block>gotcha: [\w-]+ at [^\n]*\n(?:      [^\n]*\n)+)", re.M)
_SECONDS = re.compile(r"\b(?P<number>\d+(?:\.\d+)?) (?P<unit>ms|s)\b")
_ABORTED = re.compile(r"^F\d{4} [\d:.]+ +\d+ (?P<place>\S+)\] ", re.M)  # how XLA ends a process


class Outcome(NamedTuple):
    """What a program did."""

    told: dict[str, Any]
    err: str
    code: int
    run: Run


def capture(name: str, pair: Pair) -> dict[str, Any]:
    """All that a page says of one example."""
    codes = [plain(pair.bad), plain(pair.good)]
    bad, good = (run(code) for code in codes)
    # Looking at values is a read of the host, which the sanitizer must not see.
    values = [run(code, pair.shows) for code in codes] if pair.shows else []
    if good.code or good.run.problems:
        print(f"{name}: the good code is not clean:\n{good.err}", file=sys.stderr)
    return {
        "digest": pair.digest,
        "linter": lint(name, codes[0]) if name in rules() else "",
        "sanitizer": sanitizer_text(bad),
        "error": _error(bad),
        "warnings": list(_warnings(bad.err)),
        "compiles": [one.run.count("compiles") for one in (bad, good)],
        "shown": [one.told.get("shown", {}) for one in values] or [{}, {}],
    }


def lint(name: str, code: str) -> str:
    """What `gotcha-lint --select NAME train.py` prints."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, NAME).write_text(code, "utf-8")
        Path(folder, "pyproject.toml").touch()
        command = [sys.executable, "-m", "gotcha_lint", "--select", name, NAME]
        env = os.environ | {"PYTHONPATH": SOURCES, "NO_COLOR": "1", "COLUMNS": "88"}
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # clean, findings
        raise RuntimeError(f"{name}: the linter failed:\n{done.stderr}")
    return done.stdout.strip("\n")


def _asked(code: str) -> list[str]:
    """The options that a program names in a comment of its own: `# GOTCHA_OPTIONS=training=1`."""
    return re.findall(r"^# GOTCHA_OPTIONS=(\S+)$", code, re.M)


def run(code: str, shows: str = "", flags: str = "") -> Outcome:
    """Runs a program in an empty folder: under the sanitizer, or to see what `shows` says.

    `flags` of XLA: tests that look at no time compile cheaply.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, NAME).write_text(code, "utf-8")
        settings = {
            "PYTHONPATH": SOURCES,
            "GOTCHA_SANITIZE": "" if shows else "1",
            "GOTCHA_OPTIONS": ":".join(("log_path=run.jsonl", "color=never", *_asked(code))),
            "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": f"{DEVICES} {flags}".rstrip(),
            "COLUMNS": "88",
        }
        done = subprocess.run(
            [sys.executable, str(CHILD), NAME, "told.json", shows],
            cwd=folder,
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=300,
        )
        told, record = Path(folder, "told.json"), Path(folder, "run.jsonl")
        text = without_paths(told.read_text("utf-8"), folder) if told.exists() else "{}"
        return Outcome(
            told=json.loads(text),
            err=without_paths(done.stderr, folder),
            code=done.returncode,
            run=fold(read(record)) if record.exists() else Run(),
        )


def sanitizer_text(outcome: Outcome) -> str:
    """The findings of the report, or the explanation that follows a traceback."""
    if crash := _CRASH.search(outcome.err):
        return _rounded(crash["block"].rstrip())
    report = _REPORT.search(outcome.err)
    return _rounded(report["blocks"].strip("\n")) if report else ""


def _error(outcome: Outcome) -> dict[str, Any]:
    error = outcome.told.get("error")
    if error and error["type"] != "ModuleNotFoundError":  # a library that is not installed here
        message = re.sub(r" at 0x[0-9a-f]+", "", error["message"])
        return error | {"message": without_paths(message).rstrip()}
    if aborted := _ABORTED.search(outcome.err):  # no exception: the process is gone
        message = outcome.err[aborted.end() :].partition("\n")[0]
        return {"type": "", "message": message, "line": 0}
    return {}


def _warnings(err: str) -> Iterator[str]:
    """The warnings of Python that name a line of the program."""
    for match in re.finditer(rf"^{NAME}:\d+: \w*Warning: [^\n]*", err, re.M):
        yield match[0]


def without_paths(text: str, folder: str = "") -> str:
    """Only the program's own name is left of paths; an installed module starts at its package."""
    if folder:
        text = text.replace(f"{os.path.realpath(folder)}/", "").replace(f"{folder}/", "")
    return re.sub(r"(?<![\w/])/[^\s:\"']*?/(?:site-packages|lib/python3\.\d+)/", "", text)


def _rounded(text: str) -> str:
    """Times of this machine, to the two digits that mean something."""

    def short(match: re.Match[str]) -> str:
        number = float(match["number"])
        return f"{float(f'{number:.2g}'):g} {match['unit']}"

    return _SECONDS.sub(short, text)
