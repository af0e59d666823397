"""`eval`: held-out loss of a checkpoint, beside what needs no network."""

from __future__ import annotations

import argparse

from reference_trainer.commands import common


def options(parser: argparse.ArgumentParser) -> None:
    common.run_options(parser)
    parser.add_argument("--no-baselines", action="store_true")


def run(args: argparse.Namespace) -> int:
    common.set_up(args)
    import jax

    from reference_trainer import parallel
    from reference_trainer.extras import play
    from reference_trainer.run import probes, report
    from reference_trainer.sources import load
    from reference_trainer.train import loop
    from reference_trainer.train.step import evaluate

    loaded = common.load(args)
    corpus = load(loaded.config.data)
    if corpus.about != loaded.about:
        print("note: this is not the data of the training run, or a different version of it")
    job = loop.prepare(loaded.config, corpus)
    with jax.set_mesh(job.mesh):
        params = jax.device_put(loaded.params, parallel.replicated(job.mesh))
        score = evaluate(job.eval_step, params, loop.one_epoch(job.held_out), job.mesh)
        probes.context(job, params)
    print(
        f"step {loaded.step}: {score.bits:.3f} bits per {corpus.unit}, "
        f"accuracy {score.accuracy:.3f}, {score.targets} targets"
    )
    if previous := tuple(corpus.about.get("previous", ())):
        alone = play.accuracy(loaded.params, corpus.held_out, previous, loaded.config)
        print(f"playing by itself: accuracy {alone:.3f}")
    if not args.no_baselines:
        report.table(corpus, score)
    return 0
