"""Recall of the linter on projects that were read before it ran.

    python -m benchmarks.audits FOLDER [--round 12] [--details] [--keep FOLDER]

FOLDER holds a work tree for each project of `projects.tsv` that is at hand, by its name and at its
commit, as line numbers depend on it. A fault is found by a finding within two lines, by a place of
its chain there, or by a finding at the head of the function around it. Each project is linted with
the default choice of findings and with `--all`. A finding of more weight than a note near a place
that only looks wrong is counted as a false one.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KINDS = {"default": (), "--all": ("--all",)}
NEAR = 2  # lines
NAME = "name-"  # how the slug of a removed or deprecated name begins


@dataclass(frozen=True)
class Place:
    """A row of a reader: a fault, or right code that looks wrong."""

    round: int
    project: str
    path: str
    line: int
    slug: str
    is_fault: bool
    why: str

    @property
    def is_name(self) -> bool:
        return self.slug.startswith(NAME)


@dataclass(frozen=True)
class Finding:
    """Of the linter. `lines`: the lines of each place that it names, by path."""

    name: str
    severity: str
    path: str
    line: int
    lines: tuple[tuple[str, int, int], ...]

    def touches(self, place: Place) -> bool:
        low, high = place.line - NEAR, place.line + NEAR
        return any(
            path == place.path and low <= end and start <= high for path, start, end in self.lines
        )


def places(rounds: Sequence[int] = ()) -> Iterator[Place]:
    """Of the rounds given, or of all."""
    for file in sorted(HERE.glob("rounds/*.tsv")):
        number = int(file.stem)
        if rounds and number not in rounds:
            continue
        with file.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream, delimiter="\t"):
                line = int(row["line"].split(",")[0].split("-")[0])
                fault = row["verdict"] == "true"
                yield Place(number, row["repo"], row["path"], line, row["slug"], fault, row["why"])


def linted(project: Path, options: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the linter says. Raises RuntimeError where it does not end with 0 or 1."""
    command = [sys.executable, "-m", "gotcha_lint", "--no-cache", "--exit-zero"]
    command += ["--output-format", "json", *options, "."]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{project.name}: exit code {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout)


def findings(rows: list[dict[str, Any]], project: Path) -> list[Finding]:
    def inside(path: str) -> str:
        return (project / path).resolve().relative_to(project.resolve()).as_posix()

    found = []
    for row in rows:
        path, line = inside(row["path"]), row["line"]
        lines = [(path, line, row.get("end_line") or line)]
        for step in row.get("chain", ()):
            lines.append((inside(step["path"]), step["line"], step["line"]))
        found.append(Finding(row["name"], row["severity"], path, line, tuple(lines)))
    return found


def head(file: Path, line: int) -> range:
    """The lines from the first decorator of the function around a line to its `def`."""
    try:
        tree = ast.parse(file.read_text("utf-8"))
    except (OSError, SyntaxError, ValueError):
        return range(0)
    best: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            start = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if start <= line <= (node.end_lineno or 0) and (not best or node.lineno > best.lineno):
                best = node
    if best is None:
        return range(0)
    start = min([best.lineno, *(each.lineno for each in best.decorator_list)])
    return range(start, best.lineno + 1)


def hits(place: Place, found: list[Finding], project: Path) -> list[Finding]:
    """The findings that tell of a place."""
    near = [finding for finding in found if finding.touches(place)]
    if not place.is_fault:
        return [finding for finding in near if finding.severity != "info"]
    if near:
        return near
    lines = head(project / place.path, place.line)
    return [each for each in found if each.path == place.path and each.line in lines]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.audits", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("folder", type=Path, help="the projects, by name")
    parser.add_argument("--round", type=int, action="append", default=[], help="these alone")
    parser.add_argument("--details", action="store_true", help="each place, and what tells of it")
    parser.add_argument("--keep", type=Path, help="write the findings of each project there")
    parser.add_argument("--kept", type=Path, help="read them from there, lint nothing")
    options = parser.parse_args(arguments)
    by_project: dict[str, list[Place]] = defaultdict(list)
    for place in places(options.round):
        by_project[place.project].append(place)
    total: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for name, rows in by_project.items():
        project = options.folder / name
        if not project.is_dir():
            print(f"{name}: not at hand")
            continue
        for kind, extra in KINDS.items():
            kept = f"{name}{kind.replace('--', '-')}.json"
            if options.kept:
                raw = json.loads((options.kept / kept).read_text("utf-8"))
            else:
                try:
                    raw = linted(project, extra)
                except RuntimeError as error:
                    print(f"error: {error}", file=sys.stderr)
                    return 2
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / kept).write_text(json.dumps(raw), "utf-8")
            found = findings(raw, project)
            counted = total[rows[0].round, kind]
            for place in rows:
                told = hits(place, found, project)
                what = "tempting" if not place.is_fault else "names" if place.is_name else "faults"
                counted[what] += 1
                counted[f"{what} told"] += bool(told)
                if options.details:
                    names = " ".join(sorted({each.name for each in told})) or "-"
                    mark = "" if place.is_fault else " (right)"
                    print(f"{kind}\t{name}/{place.path}:{place.line}\t{place.slug}{mark}\t{names}")
            counted["findings"] += len(found)
    for (number, kind), counted in sorted(total.items()):
        shares = ", ".join(
            f"{counted[f'{what} told']} of {counted[what]} {what}"
            for what in ("faults", "names", "tempting")
        )
        recall = counted["faults told"] / max(counted["faults"], 1)
        print(
            f"round {number}, {kind}: {shares}; recall {recall:.3f}; {counted['findings']} findings"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
