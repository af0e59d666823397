"""Recall and false reports of a linter on the labelled programs.

    python -m benchmarks.faults.score                              # gotcha-lint
    python -m benchmarks.faults.score --command 'TOOL ...' --form sarif|ruff|jaxlint|gotcha
    python -m benchmarks.faults.score --output FILE --form sarif   # what a tool wrote
    python -m benchmarks.faults.score --set 3                      # what nobody here had seen

A command runs in `programs/`, and prints what it finds. A fault is found by a report on one of its
lines, one line either side, or the header of the function around it, by a place of the report's
chain too; and only if the tool does not say the same, as often, of the fixed program. Any report in
a fixed or clean program is a false one, but for notes, which are counted apart.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.faults.labels import PROGRAMS, Case, accepted, cases, fixed, labels
from benchmarks.faults.reports import READERS, Report, Spot, read

OURS = f"{shlex.quote(sys.executable)} -m gotcha_lint --no-cache --exit-zero --output-format json ."
_CODES = {0, 1}  # nothing found, something found


@dataclass(frozen=True)
class Score:
    """Of one tool. `found` and `faults`: by kind of fault."""

    found: Counter[str]
    faults: Counter[str]
    missed: tuple[str, ...]
    false: tuple[Report, ...]
    notes: int
    clean: int

    @property
    def summary(self) -> dict[str, int | float]:
        found, faults = self.found.total(), self.faults.total()
        return {
            "found": found,
            "faults": faults,
            "recall": round(found / max(faults, 1), 3),
            "false_reports": len(self.false),
            "notes_in_clean": self.notes,
            "clean_files": self.clean,
        }


def score(reports: list[Report], only: str | None = None) -> Score:
    """What a tool's reports are worth, on all programs or on one set."""
    rows = labels(only)
    clean = {row.path for row in rows if row.is_clean}
    faults, found = Counter[str](), Counter[str]()
    missed: list[str] = []
    for case in cases(rows):
        faults[case.kind] += 1
        if _is_found(case, reports):
            found[case.kind] += 1
        else:
            missed.append(case.name)
    wrong = [each for each in reports if each.spot.path in clean]
    return Score(
        found,
        faults,
        tuple(missed),
        tuple(each for each in wrong if not each.is_note),
        sum(each.is_note for each in wrong),
        len(clean),
    )


def _is_found(case: Case, reports: list[Report]) -> bool:
    good = fixed(case)
    usual = Counter(each.code for each in reports if _is_in(each.spot.path, good))
    said = Counter(each.code for each in reports if _is_in(each.spot.path, case.name))
    new = [each for each in reports if said[each.code] > usual[each.code]]
    for label in case.labels:
        places = accepted(label)
        for each in new:
            spots = (each.spot, *each.others)
            if any(spot.path == label.path and _touches(spot, places) for spot in spots):
                return True
    return False


def _is_in(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _touches(spot: Spot, places: set[tuple[int | None, int]]) -> bool:
    return any((spot.cell, line) in places for line in range(spot.line, spot.end_line + 1))


def run(command: str) -> str:
    """What a tool prints. Raises RuntimeError where it ends with another code than 0 or 1."""
    done = subprocess.run(
        shlex.split(command), cwd=PROGRAMS, capture_output=True, text=True, check=False
    )
    if done.returncode not in _CODES:
        raise RuntimeError(f"`{command}` ended with code {done.returncode}:\n{done.stderr[-800:]}")
    return done.stdout


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.faults.score", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--command", default=OURS, help="default: gotcha-lint as it is here")
    parser.add_argument("--form", choices=sorted(READERS), default="gotcha", help="of the output")
    parser.add_argument("--output", type=Path, help="read this file, run nothing")
    parser.add_argument("--set", choices=("1", "2", "3"), help="of the programs; default: all")
    parser.add_argument("--details", action="store_true", help="what is missed and what is false")
    parser.add_argument("--json", type=Path, help="write the score to this file")
    options = parser.parse_args(arguments)
    try:
        text = options.output.read_text("utf-8") if options.output else run(options.command)
        result = score(read(text, options.form), options.set)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(_table(result, options.details))
    if options.json:
        options.json.write_text(
            json.dumps(
                {
                    "summary": result.summary,
                    "found": dict(sorted(result.found.items())),
                    "faults": dict(sorted(result.faults.items())),
                },
                indent=1,
            )
            + "\n",
            "utf-8",
        )
    return 0


def _table(result: Score, details: bool) -> str:
    lines = [
        f"{kind:32} {result.found[kind]:3} of {count}"
        for kind, count in sorted(result.faults.items(), key=lambda item: (-item[1], item[0]))
    ]
    if details:
        lines += ["", "missed:", *(f"  {name}" for name in result.missed), "", "false:"]
        lines += [f"  {each.spot.path}:{each.spot.line} {each.code}" for each in result.false]
    lines.append(" ".join(f"{name}={value}" for name, value in result.summary.items()))
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
