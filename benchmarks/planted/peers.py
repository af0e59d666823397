"""How many planted faults other linters see, by one measure for all.

    python -m benchmarks.planted.peers --jaxlint PROGRAM --ruff PROGRAM [--json OUT]

A fault counts as seen where a tool reports, in the function that holds it, something that it does
not report in the same program without the fault: whatever its name. Faults are as their mutators
write them. jaxlint runs with all its rules but those of docstrings, ruff with F and B (its others
are about style), ours with its defaults.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.planted import catalogue
from benchmarks.planted.linting import ROOT, write, write_files
from benchmarks.planted.plant import Plant
from benchmarks.planted.program import Span, hosts, planted, sources

RESULTS = ROOT / "benchmarks" / "results" / "planted_peers.json"
OURS = (sys.executable, "-m", "gotcha_lint", "--no-cache", "--output-format", "json", ".")


class Report(NamedTuple):
    """One thing that a tool says of a place."""

    path: str
    line: int
    code: str


class Tool(NamedTuple):
    command: tuple[str, ...]
    read: Callable[[dict[str, Any]], tuple[str, int, str]]


class Case(NamedTuple):
    """A planted fault, and the folder that its program lies in."""

    plant: Plant
    place: str
    spans: list[Span]


def tools(jaxlint: str, ruff: str) -> dict[str, Tool]:
    jax = (jaxlint, "check", "--no-doc", "--format", "json", ".")
    rough = (ruff, "check", "--isolated", "--no-cache", "--select", "F,B")
    return {
        "gotcha-lint": Tool(OURS, lambda row: (row["path"], row["line"], row["name"])),
        "jaxlint": Tool(jax, lambda row: (row["path"], row["line"], row["rule_id"])),
        "ruff F,B": Tool(
            (*rough, "--output-format", "json", "."),
            lambda row: (row["filename"], row["location"]["row"], row["code"]),
        ),
    }


def laid_out(folder: Path) -> list[Case]:
    """All programs, each a project of its own; those without a fault in `clean`."""
    for host in hosts():
        write_files(sources(host), folder / "clean", host)
    cases = []
    for rule in catalogue.rules():
        for number, plant in enumerate(catalogue.plants(rule)):
            place = f"{rule}-{number:02d}"
            cases.append(Case(plant, place, write(planted(plant), folder / place)))
    return cases


def reports(tool: Tool, root: Path, place: str = ".") -> Iterator[Report]:
    """Of all programs at once; each alone where a tool breaks on one, which then says nothing."""
    folder = (root / place).resolve()
    done = subprocess.run(tool.command, cwd=folder, capture_output=True, text=True)
    if done.stdout.lstrip().startswith("["):
        for row in json.loads(done.stdout):
            path, line, code = tool.read(row)
            yield Report((folder / path).relative_to(root.resolve()).as_posix(), line, code)
    elif place == ".":
        for each in sorted(root.iterdir()):
            yield from reports(tool, root, each.name)


def seen(case: Case, said: list[Report], before: Counter[tuple[str, str]]) -> bool:
    """More of one code in the faulty function's file, and one of them within the function."""
    own = [row._replace(path=row.path.partition("/")[2]) for row in said]
    now = Counter((row.path, row.code) for row in own)
    return any(
        row.path == span.path
        and span.first <= row.line <= span.last
        and now[row.path, row.code] > before[row.path, row.code]
        for row in own
        for span in case.spans
    )


def measure(tool: Tool, folder: Path, cases: list[Case]) -> dict[str, bool]:
    by_place: dict[str, list[Report]] = {}
    for row in reports(tool, folder):
        by_place.setdefault(row.path.partition("/")[0], []).append(row)
    clean = by_place.get("clean", [])
    before = Counter((row.path.partition("/")[2], row.code) for row in clean)
    return {case.place: seen(case, by_place.get(case.place, []), before) for case in cases}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--jaxlint", default="jaxlint")
    parser.add_argument("--ruff", default="ruff")
    parser.add_argument("--json", type=Path, default=RESULTS)
    user = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gotcha-peers-") as name:
        folder = Path(name)
        cases = laid_out(folder)
        found = {
            label: measure(tool, folder, cases)
            for label, tool in tools(user.jaxlint, user.ruff).items()
        }
    data = {label: {"seen": sum(rows.values()), "of": len(cases)} for label, rows in found.items()}
    for label, row in data.items():
        print(f"{label:<12} {row['seen']:>4} of {row['of']}")
    user.json.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
