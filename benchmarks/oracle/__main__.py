"""What the engine predicts of compiled functions, against what runs under the sanitizer record.

    python -m benchmarks.oracle                    writes results/oracle.json
    python -m benchmarks.oracle --set scenarios    one set only, and writes nothing
    python -m benchmarks.oracle --also FOLDER      the scripts and notebooks of a folder, too
    python -m benchmarks.oracle --match TEXT       of these the programs with TEXT in their names

Each program runs once, on the CPU, in a process of its own; its record is kept in `--kept`, by a
digest of the program and of the versions that it ran with. A later run only asks the linter.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks import corpus
from benchmarks.oracle import programs, report
from benchmarks.oracle.comparing import compare
from benchmarks.oracle.recording import record

RESULT = corpus.RESULTS / "oracle.json"
KEPT = corpus.DEFAULT_CACHE / "oracle"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", action="append", choices=tuple(programs.OWN), metavar="SET")
    parser.add_argument("--also", action="append", default=[], type=Path, metavar="FOLDER")
    parser.add_argument("--match", default="", metavar="TEXT")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=2, help="programs that run at a time")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each program")
    parser.add_argument("--again", action="store_true", help="run those with a record, too")
    parser.add_argument("--only-kept", action="store_true", help="run none")
    parser.add_argument("--write", type=Path, metavar="FILE", help=f"instead of {RESULT.name}")
    return parser.parse_args()


def main() -> None:
    user = options()
    wanted = [each for name in user.set or programs.OWN for each in programs.OWN[name]()]
    wanted += [each for folder in user.also for each in programs.given(folder)]
    wanted = [each for each in wanted if user.match in f"{each.set}/{each.name}"]
    outcomes = []
    kept = user.kept.expanduser()
    how = {"again": user.again, "run": not user.only_kept}
    for recorded in record(wanted, kept, limit=user.limit, jobs=user.jobs, **how):
        outcomes.append(compare(recorded))
        print(f"\r{len(outcomes)} of {len(wanted)} programs", end="", file=sys.stderr)
    print(file=sys.stderr)
    found = report.summary(outcomes)
    print("\n".join(found["disagreements"]), report.table(found), sep="\n\n", end="\n\n")
    print(report.shares(found["all"]))
    for outcome in outcomes:
        for failure in outcome.failures:
            print(f"the linter failed: {failure}", file=sys.stderr)
    file = user.write or (None if user.set or user.match else RESULT)
    if file is not None:
        versions = {name: version(name) for name in ("jax", "flax", "optax", "equinox")}
        file.write_text(json.dumps({"versions": versions, **found}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
