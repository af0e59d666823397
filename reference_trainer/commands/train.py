"""`train`: a run from its first step, or from a checkpoint."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from reference_trainer.commands import common
from reference_trainer.config import Config, ConfigError
from reference_trainer.presets import PRESETS
from reference_trainer.settings import from_json, overridden

SETTING = re.compile(r"(model|compute|data|optimizer|run)\.\w+=")


def options(parser: argparse.ArgumentParser) -> None:
    common.machine_options(parser)
    parser.add_argument("settings", nargs="*", help="section.name=value, as data.batch=8")
    parser.add_argument("--preset", choices=PRESETS, help="where settings start (cpu_smoke)")
    parser.add_argument("--config", type=Path, help="a JSON file of settings")
    parser.add_argument(
        "--data", nargs="+", default=[], metavar="PATH", help="train on these text files"
    )
    parser.add_argument("--out", type=Path, help="folder of the run (runs/PRESET)")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out")
    parser.add_argument("--step", type=int, help="resume from this checkpoint, not the newest")
    parser.add_argument("--no-prefetch", action="store_true", help="make batches when needed")
    parser.add_argument("--distributed", default="none", help="none, auto, or HOST:PORT,N,ID")
    parser.add_argument("--tensorboard", action="store_true")
    parser.add_argument("--profile", type=int, default=0, metavar="N", help="trace N steps")
    parser.add_argument("--no-report", action="store_true", help="no baselines, no plot")


def run(args: argparse.Namespace) -> int:
    from reference_trainer import machine

    machine.choose(args.platform, args.distributed)
    machine.keep_programs(args.cache)
    return _train(args)


def _train(args: argparse.Namespace) -> int:
    from reference_trainer import machine, report
    from reference_trainer.data.corpus import load
    from reference_trainer.train import loop
    from reference_trainer.train.checkpoint import Checkpoints, check_same, set_aside

    folder = args.out or Path("runs") / (args.preset or "cpu_smoke")
    saved = None
    if args.resume:
        if not (folder / "checkpoints").is_dir():
            raise ConfigError(f"--resume: no run in {folder}; give its folder with --out")
        with Checkpoints(folder / "checkpoints") as checkpoints:
            saved = checkpoints.read(args.step)
    elif args.step is not None:
        raise ConfigError("--step says where to resume: add --resume")
    elif (folder / "checkpoints").is_dir() and any((folder / "checkpoints").iterdir()):
        raise ConfigError(f"{folder} holds a run: go on with --resume, or choose another --out")
    config = configured(args, from_json(saved.config) if saved else None)
    corpus = load(config.data)
    if saved:
        check_same(saved, config, corpus.about)
        if saved.step >= config.run.steps:
            raise ConfigError(
                f"{folder} is at its last step, {saved.step}: give a larger run.steps"
            )
        if config.run.steps != (planned := saved.config["run"]["steps"]):
            steps = config.run.steps
            print(f"run.steps was {planned} and is now {steps}: the learning rate follows it")
    attention = {"attention": config.compute.attention}
    config, why = machine.fitting_attention(config)
    config = machine.fitting_batch(config, sum(len(text.inputs) for text in corpus.train))
    job = loop.prepare(config, corpus, asked=config.replace(compute=attention))
    if saved:  # nothing is refused from here on
        later = set_aside(folder / "checkpoints", saved.step)
        if later:
            print(f"set aside the checkpoints after step {saved.step}: {', '.join(later)}")
    report.before(job, why)
    result = loop.train(job, folder, saved, tensorboard=args.tensorboard, profile=args.profile)
    report.after(job, result, folder, baselines=not args.no_report)
    return 0


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
        config = config.replace(data={"source": "files", "paths": paths, "limit": 0})
    if args.no_prefetch:
        config = config.replace(data={"prefetch": 0})
    return overridden(config, settings)
