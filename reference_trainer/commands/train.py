"""`train`: a run from its first step, or from a checkpoint."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from reference_trainer.commands import common
from reference_trainer.config import Config, ConfigError
from reference_trainer.run.presets import PRESETS, for_bytes
from reference_trainer.run.settings import from_json, listing, overridden

if TYPE_CHECKING:
    from reference_trainer.run.start import Resume

RESUME: tuple[Resume, ...] = ("auto", "always", "never")
SETTING = re.compile(r"(model|compute|data|optimizer|run)\.\w+=")


def options(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"settings, with their defaults:\n\n{listing()}"
    common.machine_options(parser)
    parser.add_argument(
        "settings", nargs="*", help="section.name=value, as data.batch=8; all are listed below"
    )
    parser.add_argument("--preset", choices=PRESETS, help="where settings start (cpu_smoke)")
    parser.add_argument("--config", type=Path, help="a JSON file of settings")
    parser.add_argument(
        "--data",
        nargs="+",
        default=[],
        metavar="PATH",
        help="train on these files: text, or token ids (.bin of uint16, .npy)",
    )
    parser.add_argument("--out", type=Path, help="folder of the run (runs/PRESET)")
    parser.add_argument(
        "--resume",
        nargs="?",
        const="always",
        default="auto",
        metavar="WHEN",
        help="auto (the default): go on with the run in --out if it has the same settings, else "
        "start one; always (or --resume alone): go on, with the run's own settings; never: start",
    )
    parser.add_argument("--step", type=int, help="resume from this checkpoint, not the newest")
    parser.add_argument("--no-prefetch", action="store_true", help="make batches when needed")
    parser.add_argument("--distributed", default="none", help="none, auto, or HOST:PORT,N,ID")
    parser.add_argument("--tensorboard", action="store_true")
    parser.add_argument("--profile", type=int, default=0, metavar="N", help="trace N steps")
    parser.add_argument("--no-report", action="store_true", help="no baselines, no plot")


def run(args: argparse.Namespace) -> int:
    import jax

    from reference_trainer.run import flags, machine

    machine.choose(args.platform, args.distributed)
    flags.keep_programs(args.cache)
    from reference_trainer.parallel import device_mesh
    from reference_trainer.run.lock import lock
    from reference_trainer.run.processes import exit_if_peer_lost

    folder = args.out or Path("runs") / (args.preset or "cpu_smoke")
    with lock(folder), exit_if_peer_lost(), jax.set_mesh(device_mesh()):
        return _train(args, folder)


def _train(args: argparse.Namespace, folder: Path) -> int:
    from reference_trainer import parallel
    from reference_trainer.run import kernels, machine, report, start
    from reference_trainer.run.goodput import Goodput
    from reference_trainer.run.log import check_board
    from reference_trainer.sources import load
    from reference_trainer.train import loop
    from reference_trainer.train import state as states

    spent, way = Goodput(), _way(args)
    saved = start.find(folder, way, args.step)
    if way == "always":
        config = configured(args, from_json(saved.config) if saved else None)
    else:
        config = configured(args)
        config = start.agreed(config, saved, folder) if saved else config
    complete = bool(saved) and saved.step >= config.run.steps
    reported = args.no_report or (folder / report.BASELINES).exists()
    if complete and reported and way == "auto":
        print(f"{folder} is complete, with {config.run.steps} steps")
        return 0
    corpus = load(config.data)
    if saved:
        start.check_same(saved, config, corpus.about)
        if complete and way == "always":
            raise ConfigError(
                f"{folder} is at its last step, {saved.step}: give a larger run.steps"
            )
        print(f"{folder} goes on after step {saved.step}")
        if config.run.steps != (planned := saved.config["run"]["steps"]):
            steps = config.run.steps
            print(f"run.steps was {planned} and is now {steps}: the learning rate follows it")
    loop.check(config, corpus)  # all that can be known before the first compile, and its time
    if args.tensorboard:
        check_board()
    start.check_room(folder, states.abstract(config, parallel.device_mesh()))
    requested = {"attention": config.compute.attention, "ssm": config.compute.ssm}
    config, why = kernels.fitting(config)
    config = machine.fitting_batch(config, sum(len(text.inputs) for text in corpus.train))
    job = loop.prepare(config, corpus, requested=config.replace(compute=requested))
    if saved:  # nothing is refused from here on
        later = start.set_aside(folder / "checkpoints", saved.step)
        if later:
            print(f"set aside the checkpoints after step {saved.step}: {', '.join(later)}")
    with spent.on("compiles"):
        report.before(job, why)
    result = loop.train(
        job, folder, saved, tensorboard=args.tensorboard, profile=args.profile, goodput=spent
    )
    report.after(job, result, folder, baselines=not args.no_report)
    return 0


def _way(args: argparse.Namespace) -> Resume:
    """What `--resume` says. `--resume data.batch=8` is `--resume` and a setting. ConfigError."""
    if SETTING.match(args.resume):
        args.settings, args.resume = [args.resume, *args.settings], "always"
    if args.resume not in RESUME:
        raise ConfigError(f"--resume={args.resume}: one of {', '.join(RESUME)}")
    return args.resume


def configured(args: argparse.Namespace, saved: Config | None = None) -> Config:
    """A saved or named configuration, then the file, then the command line; ConfigError."""
    if saved and (args.preset or args.config):
        raise ConfigError("--resume takes its settings from the run: leave out --preset, --config")
    config = saved or PRESETS[args.preset or "cpu_smoke"]
    if args.config:
        config = from_json(common.read_json(args.config), config)
    # `--data a.txt b.txt data.batch=8`: what looks like a setting is one.
    settings = [*args.settings, *filter(SETTING.match, args.data)]
    paths = tuple(path for path in args.data if not SETTING.match(path))
    if args.data:
        kinds = {"tokens" if Path(path).suffix in (".bin", ".npy") else "files" for path in paths}
        if len(kinds) > 1:
            raise ConfigError("--data: text, or token ids (.bin, .npy), not both")
        config = config.replace(
            data={"source": min(kinds, default="files"), "paths": paths, "limit": 0}
        )
    if not saved and not args.config and config.data.source in ("stdlib", "files"):
        config = for_bytes(config)
    if args.no_prefetch:
        config = config.replace(data={"prefetch": 0})
    return overridden(config, settings)
