"""Writes planted programs to a folder, lints them all at once, and says which faults were found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.planted.program import HERE, TRAINER, Program, Span, finished

ROOT = HERE.parents[1]
# The hosts are small and donate nothing, which comments in them allow.
_OF_HOSTS = ("missing-donation", "unused-allow")


class Verdict(NamedTuple):
    """Whether a program's fault was found, at the marked line, and what else was reported."""

    found: bool
    at_line: bool
    others: tuple[str, ...]


def write(program: Program, folder: Path) -> list[Span]:
    """The program as a project of its own."""
    host = program.plant.host if program.plant else TRAINER
    return write_files(program.files, folder, host)


def write_files(files: Any, folder: Path, host: str) -> list[Span]:
    clean, spans = finished(files)
    for path, text in clean.items():
        file = folder / host / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    (folder / "pyproject.toml").write_text("[tool.gotcha]\n", encoding="utf-8")
    return [span._replace(path=f"{host}/{span.path}") for span in spans]


def lint(folder: Path) -> list[dict[str, Any]]:
    """All findings in a folder."""
    command = [sys.executable, "-m", "gotcha_lint", "--output-format", "json"]
    paths = os.pathsep.join(str(ROOT / each) for each in ("lint", "sanitizer", "."))
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run(
        [*command, "--jobs", "1", "."], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"gotcha-lint ended with {done.returncode}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def judge(rule: str, spans: Sequence[Span], findings: Sequence[dict[str, Any]]) -> Verdict:
    """`findings` are those of one program, their paths within it."""
    named = [each for each in findings if each["name"] == rule]
    others = sorted({each["name"] for each in findings} - {rule, *_OF_HOSTS})
    found = any(_inside(each, span) for each in named for span in spans)
    at_line = any(_at(each, span) for each in named for span in spans)
    return Verdict(found, at_line, tuple(others))


def _inside(finding: dict[str, Any], span: Span) -> bool:
    return finding["path"] == span.path and span.first <= finding["line"] <= span.last


def _at(finding: dict[str, Any], span: Span) -> bool:
    here = finding["line"] <= span.line <= finding["end_line"]
    return finding["path"] == span.path and here


def lint_all(
    rule: str, programs: Sequence[Program], folder: Path
) -> list[tuple[Program, Verdict, Path]]:
    """Every program with its verdict and the folder that it lies in."""
    placed = []
    for number, program in enumerate(programs):
        place = folder / f"{number:03d}"
        placed.append((program, write(program, place), place))
    by_place: dict[str, list[dict[str, Any]]] = {}
    for finding in lint(folder):
        place, _, path = finding["path"].partition("/")
        by_place.setdefault(place, []).append(finding | {"path": path})
    return [
        (program, judge(rule, spans, by_place.get(place.name, [])), place)
        for program, spans, place in placed
    ]
