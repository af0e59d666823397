"""What several commands share: the options of the machine, and reading a finished run."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import NamedTuple

from reference_trainer.config import Config, ConfigError
from reference_trainer.run.settings import from_json

RUN = Path("runs/cpu_smoke")
CACHE = "~/.cache/reference_trainer"
CACHE_VARIABLE = "REFERENCE_TRAINER_CACHE"


class Loaded(NamedTuple):
    """A checkpoint, ready for use."""

    config: Config
    params: dict
    step: int
    about: dict  # the data it was trained on


def machine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--platform", default="auto", choices=("auto", "cpu", "gpu", "rocm", "tpu"))
    parser.add_argument(
        "--cache",
        default=os.environ.get(CACHE_VARIABLE, CACHE),
        metavar="DIR",
        help=f"compiled programs; none: off; default: ${CACHE_VARIABLE}, else {CACHE}",
    )


def run_options(parser: argparse.ArgumentParser) -> None:
    machine_options(parser)
    parser.add_argument("--out", type=Path, default=RUN, help="the run's folder")
    parser.add_argument("--step", type=int, help="of the checkpoint; default: the newest")


def set_up(args: argparse.Namespace) -> None:
    """Before anything compiles: the platform, then the cache."""
    from reference_trainer.run import flags, machine

    machine.choose(args.platform)
    flags.keep_programs(args.cache)


def load(args: argparse.Namespace) -> Loaded:
    """The parameters of a run's checkpoint, on one device."""
    import jax

    from reference_trainer import parallel
    from reference_trainer.run import kernels, start
    from reference_trainer.train import state as states
    from reference_trainer.train.checkpoint import Checkpoints

    folder = args.out / "checkpoints"
    if not folder.is_dir():
        raise ConfigError(f"no run in {args.out}: give its folder with --out")
    with Checkpoints(folder) as checkpoints:
        if args.step is None:
            step, lines = start.newest_whole(checkpoints)
            print(*lines, sep="\n", end="\n" if lines else "")
        else:
            start.check_whole(checkpoints, step := args.step)
        saved = checkpoints.read(step)
        config, why = kernels.fitting(from_json(saved.config))
        if why:
            print(why)
        whole = config.replace(run={"parallel": "dp"})
        state = checkpoints.restore(states.abstract(whole, parallel.device_mesh()), saved.step)
    params = jax.device_put(jax.device_get(state.params), jax.local_devices()[0])
    return Loaded(config, params, saved.step, saved.about)


def read_json(path: Path) -> dict:
    """ConfigError where the file is missing or is not JSON."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None
