"""The loop: everything is made once, then each step is dispatched and the one before is read.

Wrong: `jax.jit` or `optax.adamw(...).init` in the loop, a step that is compiled again for whatever
length a batch happens to have, evaluation that reads each batch's loss.
Right: below. (gotchas: jit-in-loop, optimizer-reinitialised, varying-shape)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
from jax.sharding import Mesh

from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.data import loader as loaders
from reference_trainer.data.batch import Batch, Corpus
from reference_trainer.data.batching import Batches
from reference_trainer.data.prefetch import prefetch
from reference_trainer.run.checks import check
from reference_trainer.run.goodput import CompileCounter, Goodput
from reference_trainer.run.layout import restored
from reference_trainer.run.log import Log, Tracker
from reference_trainer.run.processes import exit_if_peer_lost
from reference_trainer.run.replay import NotFinite
from reference_trainer.run.stop import Stop
from reference_trainer.run.trace import Trace
from reference_trainer.sources.mixture import training
from reference_trainer.train import state as states
from reference_trainer.train.checkpoint import Checkpoints, Saved
from reference_trainer.train.reader import Reader, Sent
from reference_trainer.train.step import EvalStep, Score, Step, build, build_eval, evaluate


@dataclass(frozen=True)
class Job:
    """Everything that is made once."""

    config: Config
    requested: Config  # what is saved: another machine may have what this one lacks
    corpus: Corpus
    batches: Batches
    held_out: Batches
    mesh: Mesh
    step: Step
    eval_step: EvalStep


class Result(NamedTuple):
    """How a run ended."""

    state: states.TrainState
    score: Score | None  # of the last evaluation
    programs: int  # compiled training steps: one for each length of row
    recompiled: int  # beyond that; more than 0 is a fault
    stopped: str  # the signal's name, or ""
    goodput: Goodput


def prepare(config: Config, corpus: Corpus, requested: Config | None = None) -> Job:
    """As `check`; nothing is compiled yet. `requested`: where this machine does with less."""
    check(config, corpus)
    mesh, rows = parallel.device_mesh(), parallel.local_rows(config)
    batches = training(corpus, config.data, rows)
    held_out = Batches(corpus.held_out, config.data, shuffle=False, rows=rows)
    # gotcha: shows[jit-in-loop] made once, before the loop
    step, eval_step = build(config, mesh), build_eval(config, mesh)
    return Job(config, requested or config, corpus, batches, held_out, mesh, step, eval_step)


def train(
    job: Job,
    folder: Path,
    saved: Saved | None = None,
    *,
    tensorboard: bool = False,
    trackers: Sequence[Tracker] = (),
    profile: int = 0,
    goodput: Goodput | None = None,
) -> Result:
    """Run to `run.steps`, from the start or from a checkpoint; NotFinite, CheckpointError."""
    config, run, spent = job.config, job.config.run, goodput or Goodput()
    start = number = saved.step if saved else 0
    score, counter = None, CompileCounter(spent)
    spent.begin(folder, start)
    with ExitStack() as stack:
        stack.enter_context(jax.set_mesh(job.mesh))  # what `shard_map` and explicit axes refer to
        checkpoints = stack.enter_context(Checkpoints(folder / "checkpoints", run.keep, clean=True))
        log = Log(folder, run.steps, start, tensorboard=tensorboard, trackers=trackers)
        stack.enter_context(log)
        stop, trace = stack.enter_context(Stop()), stack.enter_context(Trace(folder, profile))
        with spent.on("start"):
            if saved:
                state = restored(config, job.mesh, checkpoints, saved)
            else:
                state = states.create(config, job.mesh)
        place = saved.loader if saved else None
        reading = loaders.loader(job.batches, config.data, place, run.fused)
        ahead = prefetch(reading, lambda b: parallel.place(b, job.mesh), config.data.prefetch)
        stream = stack.enter_context(ahead)
        stack.enter_context(exit_if_peer_lost())  # left first: a save would wait for who is gone
        reader = Reader(config, log, folder, saved.tokens if saved else 0.0)
        for number in range(start + run.fused, run.steps + 1, run.fused):
            trace.before(number - start - run.fused + 1)
            batch, loader_state = next(stream)
            state, metrics_of_step = counter.call(job.step, state, batch)
            stopping, last, bits = stop.requested(number // run.fused), number == run.steps, None
            measuring = last or (number % run.eval_every == 0 and not stopping)
            saving = last or stopping or number % run.save_every == 0
            try:
                reader.sent(Sent(number, metrics_of_step, batch), state)
                if measuring or saving:
                    reader.sent(None, state)
            except NotFinite as error:  # the state is good: the update was left out
                checkpoints.save(state, metadata(job, number, loader_state, reader), None)
                raise NotFinite(
                    f"{error}\nsaved step {number}: the same command goes on after it"
                ) from None
            if measuring:
                with spent.on("evaluation"):
                    score = measured(job, state, run.eval_batches)
                    bits = score.bits  # of the same batches each time: by these the best is kept
                    if last and run.eval_batches:
                        score = measured(job, state, 0)  # of all of them, as the baselines
                log.write(
                    number, eval_bits=score.bits, eval_accuracy=score.accuracy, tokens=reader.tokens
                )
                log.say(f"step {number}: held out {score.bits:.3f} bits, {score.accuracy:.1%} hit")
            if saving:
                with spent.on("saves"):
                    checkpoints.save(state, metadata(job, number, loader_state, reader), bits)
            if measuring or saving:
                reader.pause()
            if stopping:
                break
        if start >= run.steps:  # complete before it began: what is left is to say how good it is
            score = measured(job, state, 0)
        else:
            log.write(number, tokens=reader.tokens, **spent.end(number))
    return Result(state, score, len(counter.seen), counter.again, stop.name, spent)


def metadata(job: Job, number: int, loader_state: dict[str, Any], reader: Reader) -> Saved:
    """What is saved with the state after step `number`."""
    return Saved(number, job.requested.to_json(), loader_state, reader.tokens, job.corpus.about)


def measured(job: Job, state: states.TrainState, limit: int) -> Score:
    """On the first `limit` batches that are held out, or (0) on all."""
    return evaluate(job.eval_step, state.params, one_epoch(job.held_out), job.mesh, limit)


def one_epoch(batches: Batches) -> Iterator[Batch]:
    """One epoch, in order."""
    return (batches[i] for i in range(len(batches)))
