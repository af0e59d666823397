"""Makes or checks the table of result types: `python -m benchmarks.avals [--check] [NAME...]`.

Without `--check` the table is made again (ten minutes), all of it or the rows of the functions that
are named, and written to `lint/gotcha_lint/facts/avals/`. With it, random calls of each function
are compared with the JAX that is installed; a table of another release differs in a few rows.
What was found wrong is in `demoted.json`, with the reason: it stays unknown.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.avals import probe
from benchmarks.avals.check import check
from benchmarks.avals.generate import generate, write
from gotcha_lint.facts.avals.table import DATA, table

DEMOTED = Path(__file__).with_name("demoted.json")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="full names of functions; none: all")
    options.add_argument("--check", action="store_true", help="compare, write nothing")
    options.add_argument("--calls", type=int, default=20, help="accepted calls of each function")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--out", type=Path, default=DATA)
    given = options.parse_args()
    if given.check:
        return _check(given.names, given.calls, given.seed)
    if given.names and given.out == DATA:
        options.error("a table of some functions is no table: give another file with --out")
    write(generate(set(given.names), json.loads(DEMOTED.read_text())), given.out)
    return 0


def _check(names: list[str], calls: int, seed: int) -> int:
    data, found = table(), probe.functions()[0]
    wrong = 0
    for name in names or [name for name, row in data.rows.items() if not isinstance(row, str)]:
        if name not in found:
            print(f"{name}: not in this release")
            continue
        tally, differences = check(data, name, found[name], calls, seed)
        if differences:
            wrong += 1
            accepted = tally["accepted"]
            print(f"{name}: {len(differences)} of {accepted} wrong, as {differences[0]}")
    print(f"{wrong} functions differ; the table is of {data.data['made_from']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
