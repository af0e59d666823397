"""The loop: everything is made once, then each step is dispatched and the one before is read.

Wrong: `jax.jit` or `optax.adamw(...).init` in the loop, a step that is compiled again for whatever
length a batch happens to have, evaluation that reads each batch's loss.
Right: below. (gotchas: jit-in-loop, optimizer-reinitialised, varying-shape)
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
from jax.sharding import Mesh

from reference_trainer import metrics, parallel
from reference_trainer.config import Config, ConfigError
from reference_trainer.data import loader as loaders
from reference_trainer.data.batch import Batch, Corpus
from reference_trainer.data.batching import Batches
from reference_trainer.data.prefetch import prefetch
from reference_trainer.model import backbone
from reference_trainer.processes import exit_if_peer_lost
from reference_trainer.train import state as states
from reference_trainer.train.checkpoint import Checkpoints, Saved
from reference_trainer.train.evaluate import Score, evaluate
from reference_trainer.train.log import Log, Tracker
from reference_trainer.train.reader import Reader, Sent
from reference_trainer.train.replay import NotFinite
from reference_trainer.train.state import TrainState
from reference_trainer.train.step import EvalStep, Metrics, Step, build, build_eval
from reference_trainer.train.stop import Stop
from reference_trainer.train.trace import Trace


@dataclass(frozen=True)
class Job:
    """Everything that is made once: data, devices and the two compiled functions."""

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

    state: TrainState
    score: Score | None  # of the last evaluation
    programs: int  # compiled training steps: one for each length of row
    recompiled: int  # beyond that; more than 0 is a fault
    stopped: str  # the signal's name, or ""


def prepare(config: Config, corpus: Corpus, requested: Config | None = None) -> Job:
    """As `check`. Nothing is compiled yet.

    `requested` is given where this machine makes do with less than that.
    """
    check(config, corpus)
    mesh = parallel.device_mesh()
    rows = parallel.local_rows(config)
    batches = Batches(corpus.train, config.data, shuffle=True, rows=rows)
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
) -> Result:
    """Run to `run.steps`, from the start or from a checkpoint; NotFinite, CheckpointError."""
    config, run = job.config, job.config.run
    start, score, counter = saved.step if saved else 0, None, CompileCounter()
    with ExitStack() as stack:
        checkpoints = stack.enter_context(Checkpoints(folder / "checkpoints", run.keep, clean=True))
        log = Log(folder, run.steps, start, tensorboard=tensorboard, trackers=trackers)
        stack.enter_context(log)
        stop, trace = stack.enter_context(Stop()), stack.enter_context(Trace(folder, profile))
        state = first_state(job, checkpoints, saved)
        reading = loaders.loader(job.batches, config.data, saved.loader if saved else None)
        ahead = prefetch(reading, lambda b: parallel.place(b, job.mesh), config.data.prefetch)
        stream = stack.enter_context(ahead)
        stack.enter_context(exit_if_peer_lost())  # left first: a save would wait for who is gone
        reader = Reader(config, log, folder, saved.tokens if saved else 0.0)
        for number in range(start + 1, run.steps + 1):
            trace.before(number - start)
            batch, loader_state = next(stream)
            state, metrics_of_step = counter.call(job.step, state, batch)
            stopping, last, bits = stop.requested(number), number == run.steps, None
            measuring = last or (number % run.eval_every == 0 and not stopping)
            saving = last or stopping or number % run.save_every == 0
            try:
                reader.sent(Sent(number, metrics_of_step, batch), state)
                if measuring or saving:
                    reader.catch_up(state)
            except NotFinite as error:  # the state is good: the update was left out
                checkpoints.save(state, metadata(job, number, loader_state, reader), None)
                raise NotFinite(
                    f"{error}\nsaved step {number}: the same command goes on after it"
                ) from None
            if measuring:
                score = measured(job, state, run.eval_batches)
                bits = score.bits  # of the same batches each time: the best checkpoint is by these
                if last and run.eval_batches:
                    score = measured(job, state, 0)  # of all of them, as the baselines
                report_score(score, number, log, reader)
            if saving:
                checkpoints.save(state, metadata(job, number, loader_state, reader), bits)
            if stopping:
                break
        if start >= run.steps:  # complete before it began: what is left is to say how good it is
            score = measured(job, state, 0)
    return Result(state, score, len(counter.seen), counter.again, stop.name)


def metadata(job: Job, number: int, loader_state: dict[str, Any], reader: Reader) -> Saved:
    """What is saved with the state after step `number`."""
    return Saved(number, job.requested.to_json(), loader_state, reader.tokens, job.corpus.about)


def check(config: Config, corpus: Corpus) -> None:
    """ConfigError or DataError: the devices do not fit the batch, the model does not fit the data,
    or a package is missing.
    """
    parallel.check(config)
    loaders.check(config.data)
    check_vocabularies(config, corpus)


def check_vocabularies(config: Config, corpus: Corpus) -> None:
    """A token beyond the table reads its last row, a negative one wraps: both are refused here."""
    for name, sizes in (("inputs", config.model.features), ("targets", config.model.heads)):
        for document in (*corpus.train, *corpus.held_out):
            tokens = getattr(document, name)
            least, largest = tokens.min(axis=0), tokens.max(axis=0)
            if len(largest) != len(sizes) or (largest >= sizes).any() or (least < 0).any():
                raise ConfigError(
                    f"the data have {name} from {least.tolist()} to {largest.tolist()}, the model "
                    f"has vocabularies of {list(sizes)}: set model.features and model.heads"
                )


def first_state(job: Job, checkpoints: Checkpoints, saved: Saved | None) -> TrainState:
    """A new state, or the saved one, with the same types and shardings.

    Scanned layers go on unrolled, and the other way round.
    """
    if saved is None:
        return states.create(job.config, job.mesh)
    target = states.abstract(job.config, job.mesh)
    layers = saved.config["compute"]["layers"]
    if layers == job.config.compute.layers:
        return checkpoints.restore(target, saved.step)
    other = states.abstract(job.config.replace(compute={"layers": layers}), job.mesh)
    state = checkpoints.restore(other, saved.step)
    relaid = functools.partial(backbone.relaid, config=job.config)
    return jax.jit(relaid, out_shardings=jax.tree.map(lambda x: x.sharding, target))(state)


def measured(job: Job, state: TrainState, limit: int) -> Score:
    """On the first `limit` batches that are held out, or (0) on all."""
    return evaluate(job.eval_step, state.params, one_epoch(job.held_out), job.mesh, limit)


def report_score(score: Score, number: int, log: Log, reader: Reader) -> None:
    """Its time is not the steps' time."""
    log.write(number, eval_bits=score.bits, eval_accuracy=score.accuracy, tokens=reader.tokens)
    log.say(f"step {number}: held out {score.bits:.3f} bits, accuracy {score.accuracy:.3f}")
    reader.pause()


def one_epoch(batches: Batches) -> Iterator[Batch]:
    """One epoch, in order."""
    return (batches[i] for i in range(len(batches)))


class CompileCounter:
    """Row lengths seen, each a program; one that was seen must never compile again."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.again = 0
        self._compiles = metrics.Compiles()

    def call(self, step: Step, state: TrainState, batch: Batch) -> tuple[TrainState, Metrics]:
        before, length = self._compiles.count, batch.inputs.shape[1]
        result = step(state, batch)
        if self._compiles.count > before and length in self.seen:
            self.again += 1
        self.seen.add(length)
        return result
