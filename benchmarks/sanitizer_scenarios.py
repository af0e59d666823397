"""Which of the scenarios the sanitizer explains, and which JAX's own switches do, per version.

    python benchmarks/sanitizer_scenarios.py PYTHON...   writes results/sanitizer_scenarios.json

Each PYTHON is an interpreter with JAX. The scenarios are tests/sanitizer/scenarios/causes.py.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "tests" / "sanitizer" / "scenarios" / "causes.py"
_MARK = re.compile(r"# ! (?P<what>\S+)")
# Runs every scenario with a line before it on standard error, to tell their messages apart.
EACH = """
import sys
sys.path.insert(0, sys.argv[1])
import causes
for name in sys.argv[2:]:
    print("### " + name, file=sys.stderr, flush=True)
    try:
        getattr(causes, name)()
    except FloatingPointError as error:
        print(error, file=sys.stderr)
"""


def scenarios() -> dict[str, tuple[int, str]]:
    """Function -> (line of its mark, what the sanitizer must say there)."""
    found: dict[str, tuple[int, str]] = {}
    name = ""
    for number, line in enumerate(PROGRAM.read_text("utf-8").splitlines(), 1):
        if line.startswith("def "):
            name = line[4:].partition("(")[0]
        if mark := _MARK.search(line):
            found[name] = number, mark["what"].rstrip("/")
    return found


def sanitized(python: str) -> set[tuple[int, str]]:
    """(line, name or name/cause) of each finding."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.jsonl"
        sources = os.pathsep.join(str(ROOT / part) for part in ("sanitizer", "lint"))
        env = {"PYTHONPATH": sources, "GOTCHA_SANITIZE": "1", "JAX_PLATFORMS": "cpu"}
        env["GOTCHA_OPTIONS"] = f"log_path={record}:quiet=1"
        command = [python, "-m", "gotcha_sanitizer", str(PROGRAM)]
        subprocess.run(command, env=os.environ | env, check=True, capture_output=True)
        events = [json.loads(line) for line in record.read_text("utf-8").splitlines()]
    return {
        (e["line"], f"{e['name']}/{e['cause']}".rstrip("/"))
        for e in events
        if e["event"] == "finding" and e["severity"] != "info"
    }


def told(python: str, switch: str) -> dict[str, str]:
    """What a switch of JAX prints in each scenario, first compilations left out."""
    command = [python, "-c", EACH, str(PROGRAM.parent), *scenarios()]
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


def version(python: str) -> str:
    code = "import jax, platform; print(jax.__version__, platform.python_version())"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    jax, own = done.stdout.split()
    return f"jax {jax}, Python {own}"


def measure(python: str) -> dict[str, Any]:
    found = sanitized(python)
    explained = told(python, "JAX_EXPLAIN_CACHE_MISSES")
    nans = told(python, "JAX_DEBUG_NANS")
    return {
        name: {
            "finding": what,
            "sanitizer": "explained" if (line, what) in found else "nothing",
            "JAX_EXPLAIN_CACHE_MISSES": verdict(name, explained[name]),
            "JAX_DEBUG_NANS": verdict(name, nans[name]),
        }
        for name, (line, what) in scenarios().items()
    }


def table(results: dict[str, dict[str, Any]]) -> str:
    lines = [f"| scenario | finding | {' | '.join(results)} |", "| --- " * (len(results) + 2) + "|"]
    for name, (_, what) in scenarios().items():
        cells = [
            f"{row[name]['sanitizer']} (JAX: {row[name]['JAX_EXPLAIN_CACHE_MISSES']})"
            for row in results.values()
        ]
        lines.append(f"| {name} | {what} | {' | '.join(cells)} |")
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
