"""Which of the scenarios the sanitizer explains, and which JAX's own switches do, per version.

    python -m benchmarks.sanitizer_scenarios PYTHON...   writes results/sanitizer_scenarios.json

Each PYTHON is an interpreter with JAX and Flax. The scenarios are the functions of PROGRAMS with
marked lines; one is explained where each of its marks has a finding at its line.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sanitizer.support import found, marks, run

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "sanitizer"
PROGRAMS = (
    TESTS / "scenarios" / "causes.py",
    TESTS / "scenarios" / "libraries.py",
    TESTS / "scenarios" / "captures.py",
    TESTS / "programs" / "host_faults.py",
)
Mark = tuple[int, str, str]  # line, name/cause, function
# Runs every scenario with a line before it on standard error, to tell their messages apart.
EACH = """
import importlib, pathlib, sys
program = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(program.parent))
module = importlib.import_module(program.stem)
for name in sys.argv[2:]:
    print("### " + name, file=sys.stderr, flush=True)
    try:
        getattr(module, name)()
    except FloatingPointError as error:
        print(error, file=sys.stderr)
"""


@dataclass(frozen=True)
class Scenario:
    """A function with a fault, and what the sanitizer must say in it."""

    name: str
    marks: frozenset[Mark]

    @property
    def what(self) -> str:
        return ", ".join(sorted({what.rstrip("/") for _, what, _ in self.marks}))


def scenarios(program: Path, version: str) -> list[Scenario]:
    """In the order of the file; those that this version of Python lets the sanitizer see."""
    marked = marks(program, version)
    made = []
    for node in ast.parse(program.read_text("utf-8")).body:
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        own = frozenset(mark for mark in marked if mark[0] in lines)
        if isinstance(node, ast.FunctionDef) and own:
            made.append(Scenario(node.name, own))
    return made


def sanitized(python: str, program: Path) -> set[Mark]:
    with tempfile.TemporaryDirectory() as folder:
        result = run(program, Path(folder) / "run.jsonl", python=python)
    if result.code:
        raise SystemExit(f"{program} failed with {python}:\n{result.err}")
    return found(result)


def told(python: str, program: Path, names: list[str], switch: str) -> dict[str, str]:
    """What a switch of JAX prints in each scenario, first compilations left out."""
    command = [python, "-c", EACH, str(program), *names]
    env = os.environ | {switch: "1", "JAX_PLATFORMS": "cpu"}
    err = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stderr
    parts = re.split(r"^### (\w+)\n", err, flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def verdict(name: str, text: str) -> str:
    """`explained`: says what differs. `hint`: says that a function was perhaps made again."""
    blocks = [b for b in text.split("TRACING CACHE MISS") if f"({name})" in b or "before" in b]
    if any("now" in b and "before" in b and "unavailable" not in b for b in blocks):
        return "explained"
    if any("maybe the function" in b for b in blocks):
        return "hint"
    return "nothing"


def _of_nans(text: str) -> str:
    """FloatingPointError names the operation, or the control flow that it is in."""
    return "explained" if "encountered in" in text else "nothing"


def versions(python: str) -> tuple[str, str]:
    """Of JAX and of Python."""
    code = "import jax, platform; print(jax.__version__, platform.python_version())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    jax, own = done.stdout.split()
    return jax, own


def measure(python: str, version: str) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for program in PROGRAMS:
        own = scenarios(program, version)
        names = [each.name for each in own]
        seen = sanitized(python, program)
        explained = told(python, program, names, "JAX_EXPLAIN_CACHE_MISSES")
        nans = told(python, program, names, "JAX_DEBUG_NANS")
        for each in own:
            results[each.name] = {
                "finding": each.what,
                "sanitizer": "explained" if each.marks <= seen else "nothing",
                "JAX_EXPLAIN_CACHE_MISSES": verdict(each.name, explained[each.name]),
                "JAX_DEBUG_NANS": _of_nans(nans[each.name]),
            }
    return results


def table(results: dict[str, dict[str, Any]]) -> str:
    lines = [f"| scenario | finding | {' | '.join(results)} |", "| --- " * (len(results) + 2) + "|"]
    names = {name: row["finding"] for rows in results.values() for name, row in rows.items()}
    for name, what in names.items():
        cells = [
            f"{rows[name]['sanitizer']} ({rows[name]['JAX_EXPLAIN_CACHE_MISSES']})"
            if name in rows
            else "not seen there"
            for rows in results.values()
        ]
        lines.append(f"| {name} | {what} | {' | '.join(cells)} |")
    totals = []
    for rows in results.values():
        ours = sum(row["sanitizer"] == "explained" for row in rows.values())
        theirs = sum(row["JAX_EXPLAIN_CACHE_MISSES"] == "explained" for row in rows.values())
        nans = sum(row["JAX_DEBUG_NANS"] == "explained" for row in rows.values())
        totals.append(f"{ours} of {len(names)} (JAX: {theirs}; debug_nans: {nans})")
    lines.append(f"| **explained** | | {' | '.join(totals)} |")
    return "\n".join(lines)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    results = {}
    for python in sys.argv[1:]:
        jax, own = versions(python)
        results[f"jax {jax}, Python {own}"] = measure(python, own)
    path = ROOT / "benchmarks" / "results" / "sanitizer_scenarios.json"
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
