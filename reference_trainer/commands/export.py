"""`export`: the forward function of a checkpoint as a file, its weights beside it."""

from __future__ import annotations

import argparse
from pathlib import Path

from reference_trainer.commands import common

BATCHES = 64  # of the held-out data, to compare on


def options(parser: argparse.ArgumentParser) -> None:
    common.run_options(parser)
    parser.add_argument("file", type=Path)
    parser.add_argument("--int8", action="store_true", help="matrices of the layers as int8")
    parser.add_argument("--platforms", default="", help="as cpu,cuda; default: this machine's")


def run(args: argparse.Namespace) -> int:
    common.set_up(args)
    from reference_trainer.extras import export

    loaded = common.load(args)
    platforms = tuple(name for name in args.platforms.split(",") if name)
    size = export.write(loaded.params, loaded.config, args.file, platforms, int8=args.int8)
    if args.int8:
        _compare(loaded)
    print(f"{args.file}: {size / 1024:.0f} KiB, weights in {args.file}.npz")
    return 0


def _compare(loaded: common.Loaded) -> None:
    """Print what int8 costs, on held-out data."""
    import jax

    from reference_trainer import parallel
    from reference_trainer.extras import int8
    from reference_trainer.sources import load
    from reference_trainer.train import loop
    from reference_trainer.train.step import evaluate

    job = loop.prepare(loaded.config, load(loaded.config.data))
    if loaded.config.compute.quantise != "int8":
        print("note: trained without compute.quantise=int8, so nothing has learned to be rounded")
    weights = {"as trained": loaded.params, "in int8": int8.unpacked(int8.packed(loaded.params))}
    for name, params in weights.items():
        batches = loop.one_epoch(job.held_out)
        with jax.set_mesh(job.mesh):
            params = jax.device_put(params, parallel.replicated(job.mesh))
            score = evaluate(job.eval_step, params, batches, job.mesh, limit=BATCHES)
        print(f"held out, {name}: {score.bits:.4f} bits, accuracy {score.accuracy:.4f}")
