"""Recall of the rules on faults planted into training programs.

    python -m benchmarks.planted_faults                          lints all, prints the table
    python -m benchmarks.planted_faults --rule traced-if --run   runs the programs of one rule too
    python -m benchmarks.planted_faults --json OUT               where the results go
    python -m benchmarks.planted_faults --run-variants           runs them in every variant

Every planted program is linted. Found means: the right name, at the planted
line or in the function that holds it. With `--run` each fault is run as it is written by its
mutator, and its symptom looked for; without it, what earlier runs showed stays in the results.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from benchmarks.planted import catalogue, report
from benchmarks.planted.clean import check_clean
from benchmarks.planted.linting import lint_all
from benchmarks.planted.program import AS_WRITTEN, Program
from benchmarks.planted.running import Runner, running
from benchmarks.planted.symptoms import Outcome

RESULTS = Path(__file__).resolve().parent / "results" / "planted_faults.json"


def measure(rule: str, folder: Path, play: Play) -> list[report.Row]:
    """A row for each planted program of one rule."""
    rows = []
    for program, verdict, place in lint_all(rule, list(catalogue.programs(rule)), folder):
        plant = program.plant
        assert plant
        shown, why = play(program, place)
        rows.append(report.Row(plant.host, plant.name, program.variant, *verdict, shown, why))
    return rows


class Play(NamedTuple):
    """Runs planted programs, if asked to."""

    runner: Runner | None
    every: bool
    good: dict[str, Outcome]

    def __call__(self, program: Program, place: Path) -> tuple[bool | None, str]:
        """Whether the symptom showed (None: not run), and which it is or what came instead."""
        plant = program.plant
        assert plant
        text, seen = plant.symptom
        if not self.runner or not seen:
            return None, text
        if program.variant != AS_WRITTEN and not self.every:
            return None, "a variant: run as written only"
        bad = self.runner.run(place, plant.host, fresh=plant.fresh)
        if seen(bad, self.good[plant.host]):
            return True, text
        return False, f"{text}; {bad.error.splitlines()[0] if bad.error else bad.result}"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rule", action="append", default=[], metavar="NAME")
    parser.add_argument("--run", action="store_true", help="run the programs as well")
    parser.add_argument("--run-variants", action="store_true", help="and all their variants")
    parser.add_argument("--json", type=Path, metavar="OUT", default=RESULTS)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the programs there")
    return parser.parse_args()


def main() -> int:
    user = options()
    data, rows = report.kept(user.json), {}
    with ExitStack() as stack:
        folder = user.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        running_too = user.run or user.run_variants
        runner = stack.enter_context(running(folder / "cache")) if running_too else None
        alarms, good = check_clean(folder / "clean", runner)
        play = Play(runner, user.run_variants, good)
        data["clean_hosts"] = {"findings": sorted(alarms)}
        for rule in user.rule or catalogue.rules():
            place = folder / rule
            place.mkdir(parents=True)
            rows[rule] = measure(rule, place, play)
            print(report.line(rule, rows[rule]), flush=True)
            data["rules"][rule] = report.as_data(rows[rule], data["rules"].get(rule, {}))
            report.keep(user.json, data)
    print(report.summary(rows, alarms))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
