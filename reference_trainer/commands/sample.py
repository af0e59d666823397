"""`sample`: text from a checkpoint."""

from __future__ import annotations

import argparse
import functools

from reference_trainer.commands import common
from reference_trainer.config import ConfigError


def options(parser: argparse.ArgumentParser) -> None:
    common.run_options(parser)
    parser.add_argument("--prompt", default="def ")
    parser.add_argument("--temperature", type=float, default=0.8, help="0: the likeliest")
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)


def run(args: argparse.Namespace) -> int:
    common.set_up(args)
    from reference_trainer.extras import sample

    if args.temperature < 0 or args.count < 1:
        raise ConfigError("--temperature is 0 or more, --count 1 or more")
    loaded = common.load(args)
    if loaded.config.data.source in ("chorales", "tokens"):
        raise ConfigError(f"{args.out} was not trained on text; `eval` says how good it is")
    if len(args.prompt.encode()) >= loaded.config.data.length:
        raise ConfigError(f"--prompt: at most {loaded.config.data.length - 1} bytes")
    draw = functools.partial(sample.text, loaded.params, args.prompt, loaded.config)
    for seed in range(args.seed, args.seed + args.count):
        print(draw(seed=seed, temperature=args.temperature))
    return 0
