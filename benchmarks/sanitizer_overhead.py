"""What the sanitizer costs: the same programs with it on and off, interleaved, in CPU time.

    python benchmarks/sanitizer_overhead.py            all, and results/sanitizer_overhead_*.json
    python benchmarks/sanitizer_overhead.py --quick    one round, nothing written

Each round runs every case once for each way; ratios are medians of the rounds. The rivals are JAX's
own switches for the same questions.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PROGRAMS = HERE / "overhead_programs.py"
BOOT = "import gotcha_sanitizer.auto, runpy, sys; sys.argv = sys.argv[1:]; "
RUN = "runpy.run_path(sys.argv[0], run_name='__main__')"
LIMITS = {"tiny": 1.05, "leaves": 1.05, "step": 1.01, "compiles": 1.03, "nothing": 1.02}
WAYS: dict[str, dict[str, str]] = {
    "off": {},
    "on": {"GOTCHA_SANITIZE": "1", "GOTCHA_OPTIONS": "quiet=1"},
    "JAX_EXPLAIN_CACHE_MISSES": {"JAX_EXPLAIN_CACHE_MISSES": "1"},
    "JAX_DEBUG_NANS": {"JAX_DEBUG_NANS": "1"},
}


def once(case: str, way: str) -> float:
    """One run of a case in a process of its own."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("GOTCHA_", "JAX_"))}
    sources = os.pathsep.join(str(ROOT / part) for part in ("sanitizer", "lint"))
    env = plain | {"PYTHONPATH": sources, "JAX_PLATFORMS": "cpu"} | WAYS[way]
    env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # CPU time of one thread: less noise
    start = BOOT + RUN if way == "on" else "import sys, runpy; sys.argv = sys.argv[1:]; " + RUN
    command = [sys.executable, "-c", start, str(PROGRAMS), case]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def startup(on_path: bool) -> float:
    """CPU seconds of a Python that does nothing, with our start line in its way or not."""
    line = "import os; os.environ.get('GOTCHA_SANITIZE', '0') not in ('', '0') and 1/0"
    command = [sys.executable, "-I", "-c", line if on_path else "import os"]
    before = os.times()
    for _ in range(20):
        subprocess.run(command, check=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def measure(rounds: int) -> dict[str, Any]:
    cases = [case for case in LIMITS if case != "nothing"]
    found: dict[str, dict[str, list[float]]] = {case: {w: [] for w in WAYS} for case in cases}
    starts: dict[bool, list[float]] = {True: [], False: []}
    growth: dict[str, list[float]] = {"off": [], "on": []}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for case in cases:
            for way in WAYS:
                found[case][way].append(once(case, way))
        for on_path in starts:
            starts[on_path].append(startup(on_path))
        for way in growth:
            growth[way].append(once("memory", way))
    rows = {case: _row(ways) for case, ways in found.items()}
    off, on = statistics.median(starts[False]), statistics.median(starts[True])
    rows["nothing"] = {"off": off / 20, "on": on / 20, "ratios": {"on": on / off}}
    return {
        "python": platform.python_version(),
        "jax": _jax_version(),
        "cpus": os.cpu_count(),
        "rounds": rounds,
        "cases": rows,
        "memory_growth_bytes": {way: statistics.median(v) for way, v in growth.items()},
    }


def _row(ways: Mapping[str, list[float]]) -> dict[str, Any]:
    """Seconds, and ratios to `off` of the same round."""
    ratios = {
        way: statistics.median(a / b for a, b in zip(values, ways["off"], strict=True))
        for way, values in ways.items()
        if way != "off"
    }
    return {way: statistics.median(values) for way, values in ways.items()} | {"ratios": ratios}


def _jax_version() -> str:
    from importlib.metadata import version

    return version("jax")


def show(result: Mapping[str, Any]) -> str:
    lines = [f"Python {result['python']}, jax {result['jax']}", ""]
    lines += ["| case | limit | on | rivals |", "| --- | --- | --- | --- |"]
    for case, row in result["cases"].items():
        rivals = ", ".join(f"{w} {r:.2f}x" for w, r in row["ratios"].items() if w != "on")
        unit = f"{row['off'] * 1e6:.1f} us"
        ours = row["ratios"]["on"]
        lines.append(f"| {case} ({unit}) | {LIMITS[case]:.2f}x | {ours:.3f}x | {rivals} |")
    grown = result["memory_growth_bytes"].items()
    growth = {way: f"{value / 2**20:.1f} MiB" for way, value in grown}
    lines.append(f"\nmemory after 1,000 more re-jits: {growth}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    result = measure(1 if options.quick else options.rounds)
    print(show(result))
    if not options.quick:
        tag = "".join(platform.python_version_tuple()[:2])
        path = HERE / "results" / f"sanitizer_overhead_py{tag}.json"
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
