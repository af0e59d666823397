"""What the sanitizer costs: the same programs with it on and off, in CPU time.

    python benchmarks/sanitizer_overhead.py            all, and results/sanitizer_overhead_*.json
    python benchmarks/sanitizer_overhead.py --quick    one round, nothing written
    python benchmarks/sanitizer_overhead.py --memory   only the memory, the times as they were

A round starts each case once for each way and lets those processes take turns, one at a time, in an
order drawn again for each turn; its ratio is the median over the turns of one way to `off` in the
same turn. The ratio of a case is the median of the rounds. Between two turns a machine's speed
changes little, between two runs of a process by tens of percent.

The sanitizer works in Python's threads (the one that calls, and one of its own); XLA's take the
rest of a step, and differ by several percent from process to process with the memory that they
were given. So what is compared is the time of Python's threads, as a share of all CPU time:
(off + threads on - threads off) / off. That of the whole process is in the results too. The rivals
are JAX's own switches for the same questions.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PROGRAMS = HERE / "overhead_programs.py"
BOOT = "import gotcha_sanitizer.auto; "
RUN = "import runpy, sys; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
LIMITS = {"tiny": 1.05, "leaves": 1.05, "step": 1.01, "compiles": 1.03, "nothing": 1.02}
TURNS = {"tiny": 20, "leaves": 20, "step": 20, "compiles": 20}  # in a round
STARTS = 60
GROWTHS = 3  # rounds that look at memory: it takes as long as all the rest
WAYS: dict[str, dict[str, str]] = {
    "off": {},
    "on": {"GOTCHA_SANITIZE": "1", "GOTCHA_OPTIONS": "quiet=1"},
    "JAX_EXPLAIN_CACHE_MISSES": {"JAX_EXPLAIN_CACHE_MISSES": "1"},
    "JAX_DEBUG_NANS": {"JAX_DEBUG_NANS": "1"},
}


Turn = tuple[float, ...]  # CPU seconds of the process, and of Python's threads
Taken = dict[str, list[Turn]]  # of each way, turn by turn


@dataclass(frozen=True)
class Runner:
    """One case in a process of its own, which does a turn when asked."""

    asked: IO[str]
    answers: IO[str]

    def turn(self) -> tuple[float, ...]:
        print(file=self.asked, flush=True)
        return tuple(map(float, self.answers.readline().split()))


@contextlib.contextmanager
def runner(case: str, way: str) -> Iterator[Runner]:
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("GOTCHA_", "JAX_"))}
    sources = os.pathsep.join(str(ROOT / part) for part in ("sanitizer", "lint"))
    env = plain | {"PYTHONPATH": sources, "JAX_PLATFORMS": "cpu"} | WAYS[way]
    env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"  # CPU time of one thread: less noise
    # Each of XLA's threads keeps 3 MB for itself from its first compile on, whenever that comes.
    env |= {"MALLOC_ARENA_MAX": "1"} if case == "memory" else {}
    command = [sys.executable, "-c", BOOT + RUN if way == "on" else RUN, str(PROGRAMS), case]
    with subprocess.Popen(
        command,
        env=env,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        if process.stdin is None or process.stdout is None or not process.stdout.readline():
            raise RuntimeError(f"{case} ({way}) did not start: run {PROGRAMS} {case} by hand")
        yield Runner(process.stdin, process.stdout)
        process.stdin.close()


def lock_step(case: str) -> Taken:
    """One round of a case: what each way's turns took, turn by turn."""
    taken: Taken = {way: [] for way in WAYS}
    with contextlib.ExitStack() as stack:
        runners = {way: stack.enter_context(runner(case, way)) for way in WAYS}
        for _ in range(TURNS[case]):
            for way in random.sample(list(WAYS), len(WAYS)):
                taken[way].append(runners[way].turn())
    return taken


def startup(way: str) -> float:
    """CPU seconds of a Python that does nothing, with our start line in its way or not."""
    line = "import os; os.environ.get('GOTCHA_SANITIZE', '0') not in ('', '0') and 1/0"
    command = [sys.executable, "-I", "-c", line if way == "on" else "import os"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starts() -> Taken:
    """One round of starts with nothing to do, turn by turn: all of it is Python's."""
    turns = [{way: startup(way) for way in ("off", "on")} for _ in range(STARTS)]
    return {way: [(turn[way], turn[way]) for turn in turns] for way in ("off", "on")}


def growth(way: str) -> float:
    """Bytes a process grows by over 1,000 re-jits."""
    with runner("memory", way) as running:
        return running.turn()[0]


def measure(rounds: int) -> dict[str, Any]:
    found: dict[str, list[Taken]] = {case: [] for case in TURNS}
    started: list[Taken] = []
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for case, taken in found.items():
            taken.append(lock_step(case))
        started.append(starts())
    return {
        "python": platform.python_version(),
        "jax": version("jax"),
        "cpus": os.cpu_count(),
        "rounds": rounds,
        "cases": {case: _row(taken) for case, taken in (found | {"nothing": started}).items()},
        **measure_memory(min(rounds, GROWTHS)),
    }


def measure_memory(rounds: int) -> dict[str, Any]:
    grown = {way: [growth(way) for _ in range(rounds)] for way in ("off", "on")}
    return {"memory_growth_bytes": {way: statistics.median(sizes) for way, sizes in grown.items()}}


def _row(rounds: list[Taken]) -> dict[str, Any]:
    """Seconds of each way; ratios to `off`, with the least and the greatest of the rounds."""
    ways = list(rounds[0])
    others = [way for way in ways if way != "off"]
    own = {way: [_ratio(taken, way, _by_threads) for taken in rounds] for way in others}
    whole = {way: [_ratio(taken, way, _by_process) for taken in rounds] for way in others}
    seconds = {
        way: statistics.median(turn[0] for taken in rounds for turn in taken[way]) for way in ways
    }
    return seconds | {
        "ratios": {way: statistics.median(ratios) for way, ratios in own.items()},
        "range_on": [min(own["on"]), max(own["on"])],
        "whole_process": {way: statistics.median(ratios) for way, ratios in whole.items()},
        "whole_process_range_on": [min(whole["on"]), max(whole["on"])],
    }


def _ratio(taken: Taken, way: str, of: Callable[[Turn, Turn], float]) -> float:
    return statistics.median(of(a, b) for a, b in zip(taken[way], taken["off"], strict=True))


def _by_threads(on: Turn, off: Turn) -> float:
    return 1 + (on[1] - off[1]) / off[0]


def _by_process(on: Turn, off: Turn) -> float:
    return on[0] / off[0]


def show(result: Mapping[str, Any]) -> str:
    lines = [f"Python {result['python']}, jax {result['jax']}", ""]
    lines += ["| case | limit | on | rounds | whole process | rivals |", "| --- " * 6 + "|"]
    for case, row in result["cases"].items():
        rivals = ", ".join(f"{w} {r:.2f}x" for w, r in row["whole_process"].items() if w != "on")
        unit = f"{row['off'] * 1e6:.1f} us"
        least, most = row["range_on"]
        ours = f"{row['ratios']['on']:.3f}x | {least:.3f} to {most:.3f}"
        ours += f" | {row['whole_process']['on']:.3f}x"
        lines.append(f"| {case} ({unit}) | {LIMITS[case]:.2f}x | {ours} | {rivals} |")
    grown = result["memory_growth_bytes"].items()
    growths = {way: f"{value / 2**20:.1f} MiB" for way, value in grown}
    lines.append(f"\nmemory after 1,000 more re-jits: {growths}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    tag = "".join(platform.python_version_tuple()[:2])
    path = HERE / "results" / f"sanitizer_overhead_py{tag}.json"
    if options.memory:
        result = json.loads(path.read_text("utf-8")) | measure_memory(GROWTHS)
    else:
        result = measure(1 if options.quick else options.rounds)
    print(show(result))
    if not options.quick:
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
