"""Lints projects, many in one run of the command, with every rule."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.frozen.programs import Project, digest
from benchmarks.frozen.record import Record, Row, Source
from benchmarks.measure import OURS, run

TOGETHER = 300
"""Small projects in one run: a run keeps all that it reads in memory."""
LIMIT = 1800.0
"""Seconds for one run."""
CONFIG = "gotcha.toml"


class LintError(Exception):
    """A run that crashed, or took too long."""


def lint(projects: Sequence[Project], jobs: int) -> Record:
    """The findings of all rules, notes (`info`) too; LintError."""
    rows: list[Row] = []
    own = [project for project in projects if project.folder is None]
    for first in range(0, len(own), TOGETHER):
        rows += _written(own[first : first + TOGETHER], jobs)
    sources = {}
    for project in projects:
        if project.folder is not None:
            rows += _in_place(project, project.folder, jobs)
            sources[Source(project.set, project.name)] = digest(project.folder)
    return Record(tuple(rows), sources)


def _written(projects: Sequence[Project], jobs: int) -> Iterable[Row]:
    """Rows of projects that are texts. Folders are numbered: no rule may read their names."""
    with tempfile.TemporaryDirectory(prefix="gotcha-same-") as name:
        top = Path(name)
        for number, project in enumerate(projects):
            for path, text in project.files.items():
                file = top / f"{number:03d}" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, "utf-8", newline="")
            # The root of a project of its own.
            (top / f"{number:03d}" / "pyproject.toml").write_text("[tool.gotcha]\n", "utf-8")
        for finding in _findings(top, jobs, []):
            number, _, path = finding["path"].replace("\\", "/").partition("/")
            yield _row(projects[int(number)], path, finding)


def _in_place(project: Project, folder: Path, jobs: int) -> Iterable[Row]:
    """Rows of a folder of somebody else, whose own configuration does not count."""
    with tempfile.TemporaryDirectory(prefix="gotcha-same-") as name:
        config = Path(name) / CONFIG
        config.touch()
        for finding in _findings(folder, jobs, ["--config", str(config)]):
            yield _row(project, finding["path"].replace("\\", "/"), finding)


def _findings(folder: Path, jobs: int, options: Sequence[str]) -> list[dict[str, Any]]:
    command = [*OURS, "--output-format", "json", "--no-cache", "--jobs", str(jobs)]
    done = run([*command, *options, "."], cwd=folder, limit=LIMIT)
    if done.late:
        raise LintError(f"{folder}: not done after {LIMIT:.0f} s")
    if done.code not in (0, 1) or "Traceback" in done.errors:
        raise LintError(f"{folder}: gotcha-lint ended with {done.code}: {done.errors[-2000:]}")
    return json.loads(done.output)


def _row(project: Project, path: str, finding: dict[str, Any]) -> Row:
    return Row(
        project.set,
        project.name,
        path,
        finding["name"],
        finding["severity"],
        finding["id"],
        finding["cell"],
        finding["line"],
    )
