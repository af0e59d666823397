"""How fast the linter is, against floors and other linters, on the same files in one run.

    python benchmarks/lint_speed.py            all, and benchmarks/results/lint_speed.json
    python benchmarks/lint_speed.py --quick    two small projects, one round, nothing written

Ours and the peers pay for their whole process and its children; the floors, and the engine where it
stands alone, only for their work.
Rounds are interleaved, numbers are medians. Quote the ratios: seconds are this machine's.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import corpus
import peers
import speed_targets
import speed_trees
from floors import FLOORS
from measure import OURS, Run, environment, run
from speed_trees import Tree

WARM = (*OURS, "--output-format", "json", "--jobs", "1")
LINT = (*OURS, "--output-format", "json", "--no-cache")
ENGINE = ("cold", "warm", "edit", "server")  # cases of engine_speed.py
FINE = frozenset({0, 1})
# A rule raised: the rest was done all the same, so the time is shown, with a warning beside it.
INTERNAL_ERROR = 3


@dataclass
class Case:
    """One thing that is measured, and what came out."""

    name: str
    group: str
    command: tuple[str, ...] = ()
    tree: Tree | None = None
    rounds: int = 5
    repeat: int = 1
    """Runs within a round: the short ones are noisy."""
    codes: frozenset[int] = FINE
    edits: bool = False
    """A line is added to one file of the tree before each run."""
    path: str = ""
    """A folder that the tool needs on PATH (semgrep starts its own core)."""
    note: str = ""
    problem: str = ""
    runs: list[Run] = field(default_factory=list)

    def median(self, what: str) -> float | None:
        values = [getattr(each, what) for each in self.runs]
        return statistics.median(values) if values and not self.problem else None

    def per_line(self) -> float | None:
        """CPU microseconds for one line of its own files."""
        cpu = self.median("cpu")
        return None if cpu is None or self.tree is None else cpu / self.tree.lines * 1e6

    def as_dict(self) -> dict[str, Any]:
        tree = self.tree
        numbers = {what: _rounded(self.median(what)) for what in ("cpu", "wall", "peak_mib")}
        size = {"files": tree.files, "lines": tree.lines} if tree else {}
        spread = {"cpu_runs": [round(each.cpu, 4) for each in self.runs]}
        head = {"name": self.name, "group": self.group}
        told = {key: value for key in ("problem", "note") if (value := getattr(self, key))}
        return head | numbers | {"us_per_line": _rounded(self.per_line())} | size | spread | told


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def floor_cases(mid: Tree) -> list[Case]:
    python = (sys.executable,)
    script = str(Path(__file__).with_name("floors.py"))
    return [
        Case("start: python", "floor", (*python, "-c", "pass"), repeat=5),
        Case("start: import libcst", "floor", (*python, "-c", "import libcst"), repeat=2),
        *(Case(each, "floor", (*python, script, each, str(mid.folder)), mid) for each in FLOORS),
    ]


def engine_cases(trees: dict[str, Tree]) -> list[Case]:
    script = str(Path(__file__).with_name("engine_speed.py"))
    mid, large = trees["mid"], trees["large"]
    found = [
        Case(f"engine, {name}", "engine", (sys.executable, script, name, str(mid.folder)), mid)
        for name in ENGINE
    ]
    command = (sys.executable, script, "cold", str(large.folder))
    return [*found, Case("engine, larger", "engine", command, large, rounds=1)]


def our_cases(trees: dict[str, Tree], rule: str) -> list[Case]:
    mid, alone, large = trees["mid"], trees["alone"], trees["large"]
    edited, changed = trees["edited"], str(speed_trees.edit(trees["edited"]))
    serial, parallel = (*LINT, "--jobs", "1"), (*LINT, "--jobs", "2")
    return [
        Case("--version", "ours", (*OURS, "--version"), repeat=5),
        Case("--explain", "ours", (*OURS, "--explain", rule), repeat=5, note=rule),
        Case("each file alone", "ours", (*serial, "."), alone, note="no import resolves"),
        Case("--jobs 1", "ours", (*serial, "."), mid),
        Case("--jobs 2", "ours", (*parallel, "."), mid),
        Case("warm", "ours", (*WARM, "."), mid, repeat=3, note="nothing changed"),
        Case("one file changed", "ours", (*WARM, "."), edited, edits=True, note=changed),
        Case("... and given alone", "ours", (*WARM, changed), edited, edits=True),
        Case("--jobs 1, larger", "ours", (*serial, "."), large, rounds=1, note="peak memory"),
    ]


def peer_cases(trees: dict[str, Tree], scratch: Path, folder: Path) -> Iterator[Case]:
    for peer in peers.PEERS:
        tree = trees[speed_trees.key(peer)]
        case = Case(peer.label, "peer", tree=tree, rounds=peer.rounds, codes=peer.codes)
        part = f"{tree.files} of {trees['mid'].files} files" if tree is not trees["mid"] else ""
        case.note = "; ".join(filter(None, (part, peer.note)))
        try:
            program = peers.install(peer, folder)
        except peers.Missing as error:
            case.problem = f"missing: {error}"
        else:
            fill = {"tree": tree.folder, "scratch": scratch}
            arguments = (each.format(**fill) for each in peer.arguments)
            case.command, case.path = (str(program), *arguments), str(program.parent)
        yield case


def made_apart(*arguments: Any) -> tuple[dict[str, Tree], list[str]]:
    """The trees, made in a process that ends: a child's peak memory starts at its parent's size."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(speed_trees.make, arguments)


def first_rule(scratch: Path) -> str:
    code = "from gotcha_lint.registry import RULES; print(min(RULES))"
    return run((sys.executable, "-c", code), cwd=scratch).output.strip()


def warm_up(scratch: Path, *trees: Tree) -> None:
    """The first run writes the bytecode, which is there after an installation, and the cache."""
    for tree in trees:
        run((*WARM, "."), cwd=tree.folder, env=environment(_cache(scratch)))
    folder = scratch / "warm"
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    (folder / "any.py").write_text("import jax\n", encoding="utf-8")
    run((*LINT, "."), cwd=folder)


def _cache(scratch: Path) -> dict[str, str]:
    return {"GOTCHA_CACHE_DIR": str(scratch / "cache")}


def measure(case: Case, scratch: Path, limit: float) -> None:
    """Add one round to a case; a failure is kept as its problem and ends its rounds."""
    extra = {"PATH": case.path + os.pathsep + os.environ["PATH"]} if case.path else {}
    extra |= _cache(scratch) | {"SEMGREP_SETTINGS_FILE": str(scratch / "semgrep-settings.yml")}
    env = environment(extra)
    if case.group == "peer":
        env.pop("PYTHONPATH")
    place = case.tree.folder if case.tree else scratch
    for _ in range(case.repeat):
        if case.edits and case.tree is not None:
            speed_trees.edit(case.tree)
        done = run(case.command, cwd=place, limit=limit, env=env)
        case.problem = problem_of(case, done, limit)
        if case.problem:
            return
        if case.group == "ours" and done.code == INTERNAL_ERROR:
            case.note = "WITH INTERNAL ERRORS (exit code 3)"
        is_floor = case.group in ("floor", "engine") and case.tree is not None
        # Without the texts: they would make this process, and so its children, look larger.
        case.runs.append(floor_run(done) if is_floor else replace(done, output="", errors=""))


def problem_of(case: Case, done: Run, limit: float) -> str:
    if done.late:
        return f"over {limit:.0f} s: ended"
    if case.group == "ours" and done.code == INTERNAL_ERROR:
        return ""
    if done.code not in case.codes or "Traceback" in done.errors:
        last = (done.errors.strip().splitlines() or ["no message"])[-1]
        return f"failed with {done.code}: {last[:200]}"
    return ""


def floor_run(done: Run) -> Run:
    told = json.loads(done.output)
    return Run(told["cpu"], told["wall"], done.peak_mib, done.code, False, "", "")


def measure_all(found: Sequence[Case], scratch: Path, repeats: int, limit: float) -> None:
    """Interleaved, so that a slow minute of the machine falls on everything alike."""
    for number in range(repeats):
        for case in found:
            if number < case.rounds and not case.problem:
                progress(f"round {number + 1} of {repeats}: {case.name}")
                measure(case, scratch, limit)
    progress("")


def progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text:<60}", end="", file=sys.stderr, flush=True)


def table(found: Sequence[Case]) -> str:
    head = f"{'':<6} {'case':<22} {'CPU s':>8} {'wall s':>8} {'us/line':>8} {'MiB':>6} {'files':>6}"
    return "\n".join([f"{head}  note", *(_row(case) for case in found)])


def _row(case: Case) -> str:
    numbers = " ".join(
        f"{'-' if value is None else format(value, spec):>{width}}"
        for value, spec, width in (
            (case.median("cpu"), ".3f", 8),
            (case.median("wall"), ".3f", 8),
            (case.per_line(), ".1f", 8),
            (case.median("peak_mib"), ".0f", 6),
            (case.tree.files if case.tree else None, "d", 6),
        )
    )
    return f"{case.group:<6} {case.name:<22} {numbers}  {case.problem or case.note}"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=corpus.DEFAULT_CACHE)
    parser.add_argument("--peers", type=Path, help="environments of the peers (in the cache)")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--add", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--limit", type=float, default=180.0, help="seconds for one command")
    parser.add_argument("--explain", metavar="NAME", help="the page to time (any by default)")
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def main() -> int:
    user = options()
    cache = user.cache.expanduser()
    repeats = 1 if user.quick else user.repeats
    with tempfile.TemporaryDirectory(prefix="gotcha-speed-") as name:
        scratch = Path(name).resolve()
        (scratch / "semgrep.yaml").write_text(peers.SEMGREP_RULES, encoding="utf-8")
        trees, names = made_apart(scratch, cache, user.quick, user.add)
        folder = (user.peers or cache / ".peers").expanduser().absolute()
        warm_up(scratch, trees["edited"], trees["mid"])  # the first leaves its records
        rule = user.explain or first_rule(scratch)
        found = [*floor_cases(trees["mid"]), *our_cases(trees, rule), *engine_cases(trees)]
        found += [] if user.no_peers else peer_cases(trees, scratch, folder)
        measure_all(found, scratch, repeats, user.limit)
    targets = speed_targets.judge({case.name: case for case in found})
    mid = trees["mid"]
    print(f"mid: {mid.files} files, {mid.lines} lines of {', '.join(names)}")
    print(f"not on the index, so not in mid: {', '.join(speed_trees.NOT_ON_THE_INDEX)}")
    print("", table(found), "", speed_targets.table(targets), sep="\n")
    if not user.quick:
        machine = {"python": platform.python_version(), "cores": os.cpu_count()}
        size = {"files": mid.files, "lines": mid.lines, "projects": names}
        rows = {"cases": [case.as_dict() for case in found]}
        result = {"machine": machine, "mid": size, "repeats": repeats} | rows
        corpus.write_result("lint_speed.json", result | {"targets": targets})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
