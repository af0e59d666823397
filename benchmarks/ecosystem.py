"""Lint the pinned JAX projects of `ecosystem.json` and count what is found.

    python benchmarks/ecosystem.py                      all, and writes results/ecosystem.json
    python benchmarks/ecosystem.py --only optax --findings found.jsonl
    python benchmarks/ecosystem.py --pin optax==0.2.8   record another release

The projects' code is read, never run or imported. Needs the network once; the cache is kept.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import corpus
from measure import OURS, Run, run

# `gotcha-lint` ends with 0 (clean) or 1 (findings); 3 says that something inside it raised.
FINE = (0, 1)


@dataclass
class Outcome:
    """What linting one project gave."""

    project: corpus.Project
    files: int = 0
    lines: int = 0
    cpu: float = 0.0
    findings: list[dict[str, Any]] = field(default_factory=list)
    exit_code: int | None = None
    crash: str | None = None

    def counts(self) -> Counter[str]:
        return Counter(finding["name"] for finding in self.findings)

    def as_dict(self) -> dict[str, Any]:
        project = self.project
        return {
            "name": project.name,
            "version": project.version,
            "role": project.role,
            "kind": project.kind,
            "files": self.files,
            "lines": self.lines,
            "cpu_seconds": round(self.cpu, 2),
            "findings": dict(sorted(self.counts().items())),
            "exit_code": self.exit_code,
            "crash": self.crash,
        }


def lint(project: corpus.Project, folder: Path, options: Sequence[str], limit: float) -> Outcome:
    files = corpus.sources(folder)
    outcome = Outcome(project, len(files), corpus.line_count(files))
    command = [*OURS, "--output-format", "json", "--no-cache", *options, "."]
    done = run(command, cwd=folder, limit=limit)
    outcome.cpu, outcome.exit_code = done.cpu, done.code
    try:
        outcome.findings = json.loads(done.output)
    except json.JSONDecodeError:
        outcome.crash = _crash(done, limit) or "the output is not JSON"
    else:
        outcome.crash = _crash(done, limit)
    return outcome


def _crash(done: Run, limit: float) -> str | None:
    """Why a run counts as a crash; internal errors and tracebacks do, findings do not."""
    if done.late:
        return f"ended after {limit:.0f} s"
    if done.code in FINE and "Traceback" not in done.errors:
        return None
    tail = done.errors.strip().splitlines()[-5:]
    return f"exit code {done.code}: " + " | ".join(tail)


def described(finding: dict[str, Any], project: corpus.Project, folder: Path) -> dict[str, Any]:
    """A finding with what a person needs to judge it."""
    place = {"project": project.name, "version": project.version}
    return place | {"source": source_line(folder, finding)} | finding


def source_line(folder: Path, finding: dict[str, Any]) -> str:
    """The line that a finding points at; empty when there is none (a file that is not text)."""
    try:
        text = (folder / finding["path"]).read_text(encoding="utf-8-sig", errors="replace")
        if finding.get("cell"):
            cells = [each for each in json.loads(text)["cells"] if each["cell_type"] == "code"]
            text = "".join(cells[finding["cell"] - 1]["source"])
        # Only these end a line for the linter; splitlines() would also cut at form feeds.
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines[finding["line"] - 1].strip()
    except (OSError, ValueError, LookupError):
        return ""


def table(outcomes: Sequence[Outcome]) -> str:
    head = f"{'project':<18} {'version':<26} {'kind':<6} {'files':>6} {'lines':>8} {'CPU s':>7}"
    rows = [f"{head} {'found':>6}  crash"]
    for each in outcomes:
        project = each.project
        rows.append(
            f"{project.name:<18} {project.version:<26} {project.kind:<6} {each.files:>6} "
            f"{each.lines:>8} {each.cpu:>7.2f} {len(each.findings):>6}  {each.crash or '-'}"
        )
    files, lines = sum(each.files for each in outcomes), sum(each.lines for each in outcomes)
    found, cpu = sum(len(each.findings) for each in outcomes), sum(each.cpu for each in outcomes)
    rows.append(f"{'all':<18} {'':<26} {'':<6} {files:>6} {lines:>8} {cpu:>7.2f} {found:>6}")
    return "\n".join(rows)


def rule_table(outcomes: Sequence[Outcome]) -> str:
    totals: Counter[str] = Counter()
    projects: Counter[str] = Counter()
    for each in outcomes:
        totals.update(each.counts())
        projects.update(each.counts().keys())
    rows = [f"{'rule':<44} {'found':>6} {'projects':>9}"]
    rows += [f"{name:<44} {count:>6} {projects[name]:>9}" for name, count in totals.most_common()]
    return "\n".join(rows)


def report(outcomes: Sequence[Outcome], options: Sequence[str]) -> dict[str, Any]:
    totals: Counter[str] = Counter()
    for each in outcomes:
        totals.update(each.counts())
    return {
        "python": platform.python_version(),
        "options": list(options),
        "projects": [each.as_dict() for each in outcomes],
        "findings": dict(sorted(totals.items())),
        "files": sum(each.files for each in outcomes),
        "lines": sum(each.lines for each in outcomes),
        "cpu_seconds": round(sum(each.cpu for each in outcomes), 2),
        "crashes": sum(each.crash is not None for each in outcomes),
    }


def options_of_user() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, default=corpus.DEFAULT_CACHE)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--findings", type=Path, metavar="OUT.jsonl", help="write every finding")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--fetch", action="store_true", help="only fill the cache")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one project")
    parser.add_argument("--pin", action="append", default=[], metavar="NAME==VERSION")
    parser.add_argument("--role", choices=("library", "trainer"), default="library")
    return parser.parse_args()


def main() -> int:
    user = options_of_user()
    if user.pin:
        corpus.pin(user.pin, user.role)
        return 0
    options = ["--jobs", str(user.jobs)]
    outcomes: list[Outcome] = []
    judged: list[dict[str, Any]] = []
    for project, place in corpus.fetch(corpus.pinned(user.only), user.cache.expanduser()):
        if isinstance(place, str):
            outcomes.append(Outcome(project, crash=f"not fetched: {place}"))
        elif user.fetch:
            files = corpus.sources(place)
            outcomes.append(Outcome(project, len(files), corpus.line_count(files)))
        else:
            outcomes.append(lint(project, place, options, user.limit))
            judged += [described(each, project, place) for each in outcomes[-1].findings]
    print(table(outcomes), "" if user.fetch else "\n" + rule_table(outcomes), sep="\n")
    if user.findings:
        lines = [json.dumps(each, ensure_ascii=False) + "\n" for each in judged]
        user.findings.write_text("".join(lines), encoding="utf-8")
    if not user.only and not user.fetch:
        corpus.write_result("ecosystem.json", report(outcomes, options))
    return int(any(each.crash for each in outcomes))


if __name__ == "__main__":
    raise SystemExit(main())
