"""Which of the scenarios the sanitizer explains, and which JAX's own switches do, per version.

    python benchmarks/sanitizer_scenarios.py PYTHON...   writes results/sanitizer_scenarios.json

Each PYTHON is an interpreter with JAX and Flax. The scenarios are the functions of PROGRAMS with
a marked line; the tests hold that each finding stands at its line.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests" / "sanitizer"
PROGRAMS = (
    TESTS / "scenarios" / "causes.py",
    TESTS / "scenarios" / "libraries.py",
    TESTS / "scenarios" / "captures.py",
    TESTS / "programs" / "host_faults.py",
)
_MARK = re.compile(r"# ! (?P<what>\S+)(?: (?P<function>\S+))?(?: since 3\.\d+)?$")
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
    """A function with a fault, and what the sanitizer must say of which function."""

    program: Path
    name: str
    what: str
    function: str


def scenarios() -> list[Scenario]:
    """In the order of the files; of a function with several marks the last counts."""
    found: dict[str, Scenario] = {}
    for program in PROGRAMS:
        name = ""
        for line in program.read_text("utf-8").splitlines():
            if line.startswith("def "):
                name = line[4:].partition("(")[0]
            if mark := _MARK.search(line):
                what, function = mark["what"].rstrip("/"), mark["function"] or ""
                found[name] = Scenario(program, name, what, function)
    return list(found.values())


def sanitized(python: str, program: Path) -> set[tuple[str, str]]:
    """(name or name/cause, function) of each finding."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        sources = os.pathsep.join(str(ROOT / part) for part in ("sanitizer", "lint"))
        env = {"PYTHONPATH": sources, "GOTCHA_SANITIZE": "1", "JAX_PLATFORMS": "cpu"}
        env["GOTCHA_OPTIONS"] = f"log_path={record}:quiet=1"
        command = [python, "-m", "gotcha_sanitizer", str(program)]
        subprocess.run(command, env=os.environ | env, check=True, capture_output=True)
        events = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    return {
        (f"{e['name']}/{e['cause']}".rstrip("/"), e["function"])
        for e in events
        if e["event"] == "finding" and e["severity"] != "info"
    }


def told(python: str, program: Path, switch: str) -> dict[str, str]:
    """What a switch of JAX prints in each scenario, first compilations left out."""
    names = [each.name for each in scenarios() if each.program == program]
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


def version(python: str) -> str:
    code = "import jax, platform; print(jax.__version__, platform.python_version())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    jax, own = done.stdout.split()
    return f"jax {jax}, Python {own}"


def measure(python: str) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for program in PROGRAMS:
        found = sanitized(python, program)
        explained = told(python, program, "JAX_EXPLAIN_CACHE_MISSES")
        nans = told(python, program, "JAX_DEBUG_NANS")
        for each in scenarios():
            if each.program == program:
                seen = (each.what, each.function) in found
                results[each.name] = {
                    "finding": each.what,
                    "sanitizer": "explained" if seen else "nothing",
                    "JAX_EXPLAIN_CACHE_MISSES": verdict(each.name, explained[each.name]),
                    "JAX_DEBUG_NANS": _of_nans(nans[each.name]),
                }
    return results


def table(results: dict[str, dict[str, Any]]) -> str:
    lines = [f"| scenario | finding | {' | '.join(results)} |", "| --- " * (len(results) + 2) + "|"]
    for each in scenarios():
        cells = [
            f"{row[each.name]['sanitizer']} ({row[each.name]['JAX_EXPLAIN_CACHE_MISSES']})"
            for row in results.values()
        ]
        lines.append(f"| {each.name} | {each.what} | {' | '.join(cells)} |")
    totals = []
    for rows in results.values():
        ours = sum(row["sanitizer"] == "explained" for row in rows.values())
        theirs = sum(row["JAX_EXPLAIN_CACHE_MISSES"] == "explained" for row in rows.values())
        nans = sum(row["JAX_DEBUG_NANS"] == "explained" for row in rows.values())
        totals.append(f"{ours} of {len(rows)} (JAX: {theirs}; debug_nans: {nans})")
    lines.append(f"| **explained** | | {' | '.join(totals)} |")
    return "\n".join(lines)


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    results = {version(python): measure(python) for python in sys.argv[1:]}
    path = ROOT / "benchmarks" / "results" / "sanitizer_scenarios.json"
    path.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(table(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
