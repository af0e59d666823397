"""Measure the trainer on this machine: ratios and JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.trainer import estimate, properties, report, supervise
from benchmarks.trainer.families import families, words
from reference_trainer.config import UserError


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.trainer", description=__doc__)
    options(parser)
    try:
        return run(parser.parse_args(argv))
    except UserError as error:
        print(f"benchmarks.trainer: {error}", file=sys.stderr)
        return error.code


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="measurements (see --list); all")
    parser.add_argument("--list", action="store_true", help="what is measured, and where")
    parser.add_argument("--estimate", action="store_true", help="of GPUs, from bytes and FLOPs")
    parser.add_argument(
        "--properties", action="store_true", help="of programs that are lowered for a GPU, not run"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there")
    parser.add_argument("--quick", action="store_true", help="the smallest form: does it run?")
    parser.add_argument("--platform", default="auto", choices=("auto", "cpu", "gpu"))
    parser.add_argument("--minutes", type=float, help="for all (45 on a CPU, 7.7 on a GPU)")


def run(args: argparse.Namespace) -> int:
    if args.list:
        for name, family in families().items():
            print(f"{name:14} {'+'.join(family.SECONDS):8} {words(family)}")
        return 0
    if args.estimate or args.properties:
        about = {"platform": "gpu", "device": "none", "devices": 0, "note": estimate.NOTE}
        about |= {"note": properties.NOTE} if args.properties else {}
        rows = properties.rows() if args.properties else estimate.rows()
        name = "properties" if args.properties else "estimate"
        found = [supervise.Measured(name, tuple(rows), 0.0)]
        report.show(about, found)
        if args.json:
            report.write(args.json, about, found)
        return 0
    about = supervise.about(args.platform)
    seconds = supervise.chosen(args.names, about["platform"])
    usual = supervise.MINUTES[about["platform"]]
    minutes = args.minutes or usual
    longer = max(minutes / usual, 1.0)  # more minutes are more for each
    seconds = {name: round(longer * limit) for name, limit in seconds.items()}
    found = supervise.run(seconds, args.platform, args.quick, minutes, _tell)
    report.show(about, found)
    if args.json:
        report.write(args.json, {**about, "quick": args.quick}, found)
    return 0


def _tell(measured: supervise.Measured) -> None:
    print(f"{measured.family}: {measured.seconds:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
