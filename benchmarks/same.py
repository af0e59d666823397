"""What a change adds to the linter's findings, and what it takes away.

    python -m benchmarks.same                          compares with the committed record
    python -m benchmarks.same --set planted --set ours compares some sets only
    python -m benchmarks.same --also brax=FOLDER       another project's sources, linted in place
    python -m benchmarks.same --update                 writes the record, after the differences

Sets: quiet, cases, planted, pages, flawed, ours (of this repository); given (`--given`), ecosystem
(`--cache`, as far as it was fetched) and also (`--also`), as far as they are at hand. What is not
at hand is not compared, and `--update` keeps its rows. Ends with 1 if something differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from benchmarks import corpus
from benchmarks.frozen import programs, record
from benchmarks.frozen.linting import LintError, lint
from benchmarks.frozen.programs import Project

RECORD = corpus.RESULTS / "findings.jsonl.gz"
GIVEN = programs.ROOT.parent / "shared" / "cases"
SETS = (*programs.OWN, "given", "ecosystem", "also")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="write the record")
    parser.add_argument("--set", action="append", choices=SETS, help="this set only; repeatable")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--given", type=Path, default=GIVEN, metavar="FOLDER")
    parser.add_argument("--cache", type=Path, default=corpus.DEFAULT_CACHE, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE")
    user = parser.parse_args()
    for each in user.also:
        name, _, folder = each.partition("=")
        if not name or not Path(folder).is_dir() or not folder:
            parser.error(f"--also {each}: NAME=FOLDER, and the folder has to be there")
    return user


def at_hand(user: argparse.Namespace) -> tuple[list[Project], dict[str, int]]:
    """All projects that are here, and how many of each set are not."""
    wanted = frozenset(user.set or SETS)
    found = list(programs.own(wanted))
    missing: dict[str, int] = {}
    if "given" in wanted:
        projects, missing["given"] = programs.given(user.given)
        found += projects
    if "ecosystem" in wanted:
        projects, missing["ecosystem"] = programs.ecosystem(user.cache.expanduser())
        found += projects
    for each in user.also:
        name, _, folder = each.partition("=")
        found.append(Project("also", name, folder=Path(folder).resolve()))
    return found, missing


def summary(
    user: argparse.Namespace, old: record.Record, new: record.Record, projects: list[Project]
) -> str:
    """How much was linted, and what of the record was not at hand."""
    scope = scope_of(projects)
    linted, found = (Counter(row.set for row in rows) for rows in (projects, new.rows))
    skipped = Counter(row.set for row in old.rows if not scope.holds(row))
    lines = [f"{'set':<10} {'projects':>8} {'findings':>8} {'not compared':>13}"]
    for name in user.set or SETS:
        lines.append(f"{name:<10} {linted[name]:>8} {found[name]:>8} {skipped[name]:>13}")
    return "\n".join(lines)


def scope_of(projects: list[Project]) -> record.Scope:
    return record.Scope(
        frozenset(each.set for each in projects if each.folder is None),
        frozenset(record.Source(each.set, each.name) for each in projects if each.folder),
    )


def main() -> int:
    user = options()
    try:
        old = record.read(user.record)
        projects, missing = at_hand(user)
        new = lint(projects, user.jobs)
    except (record.RecordError, LintError) as error:
        print(error, file=sys.stderr)
        return 2
    scope = scope_of(projects)
    difference = record.compare(old, new, scope)
    if difference:
        print(record.report(difference), end="\n\n")
    print(summary(user, old, new, projects))
    for name, count in missing.items():
        if count:
            print(f"{name}: {count} projects are not at hand")
    for source in record.other_sources(old, new):
        if source in old.sources:
            print(f"{source.set}/{source.project}: other sources than those of the record")
    print(f"{len(difference.appeared)} appeared, {len(difference.disappeared)} disappeared")
    if user.update:
        user.record.write_bytes(record.pack(record.merged(old, new, scope)))
        print(f"written: {user.record.name}")
        return 0
    return int(bool(difference))


if __name__ == "__main__":
    raise SystemExit(main())
