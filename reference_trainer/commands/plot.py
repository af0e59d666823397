"""`plot`: the losses of a run as a picture, beside its baselines if it has come to them."""

from __future__ import annotations

import argparse
from pathlib import Path

from reference_trainer.commands import common


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=common.RUN, help="the run's folder")
    parser.add_argument("file", type=Path, nargs="?", help=".svg or .png; OUT/losses.svg")


def run(args: argparse.Namespace) -> int:
    from reference_trainer.extras.plot import plot

    target, bars = args.file or args.out / "losses.svg", args.out / "baselines.json"
    plot(args.out / "metrics.jsonl", common.read_json(bars) if bars.exists() else {}, target)
    print(f"losses: {target}")
    return 0
