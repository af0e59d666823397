"""`export`: the forward function of a checkpoint as a file, its weights beside it."""

from __future__ import annotations

import argparse
from pathlib import Path

from reference_trainer.commands import common


def options(parser: argparse.ArgumentParser) -> None:
    common.run_options(parser)
    parser.add_argument("file", type=Path)
    parser.add_argument("--platforms", default="", help="as cpu,cuda; default: this machine's")


def run(args: argparse.Namespace) -> int:
    common.set_up(args)
    from reference_trainer.extras import export

    loaded = common.load(args)
    platforms = tuple(name for name in args.platforms.split(",") if name)
    size = export.write(loaded.params, loaded.config, args.file, platforms)
    print(f"{args.file}: {size / 1024:.0f} KiB, weights in {args.file}.npz")
    return 0
