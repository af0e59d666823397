"""What people read before and after a run: sizes, the verdict beside the baselines, the plot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.console import Console
from rich.table import Table

from reference_trainer import metrics, parallel
from reference_trainer.config import Config, UserError
from reference_trainer.data.batch import Corpus
from reference_trainer.extras.baselines import baselines
from reference_trainer.extras.mamba import split_columns
from reference_trainer.extras.plot import plot
from reference_trainer.model.backbone import Params
from reference_trainer.precision import aligned
from reference_trainer.run import flags, peaks, processes
from reference_trainer.run.probes import context
from reference_trainer.train import state as states
from reference_trainer.train.loop import Job, Result
from reference_trainer.train.step import Score

BASELINES = "baselines.json"  # in the run's folder; written last but for the plot


def before(job: Job, *notes: str) -> None:
    """Parameters, data, devices, what is padded, and the memory that a step asks for."""
    config, console = job.config, _console()
    state = states.abstract(config, job.mesh)
    count = metrics.parameters(state.params)
    console.print(
        f"{count / 1e6:.2f}M parameters, {config.compute.dtype}, "
        f"{metrics.flops_per_token(config) / 1e6:.1f} MFLOP a token, "
        f"{jax.device_count()} x {jax.devices()[0].device_kind}"
    )
    console.print(
        f"{len(job.corpus.train)} documents to train on, {len(job.corpus.held_out)} held out; "
        f"{len(job.batches)} batches of {config.data.batch} rows, lengths {job.batches.lengths}, "
        f"{job.batches.useful:.1%} useful"
    )
    for length, rows in job.batches.rows.items():
        if rows < config.data.batch:
            console.print(
                f"data.batch={config.data.batch}, and the data fill {rows} rows of {length} steps: "
                "the others are empty in every such batch; a smaller data.batch costs less"
            )
    lengths = {"data.length": config.data.length} | multiplied(config, state.params)
    notes = (*notes, *padded(config), *padding_report(lengths, unit()), peak(config))
    for line in (*notes, flags.described(config), reproducible(config), short(config)):
        if line:
            console.print(line)
    every = [compiled(job, state, length) for length in sorted(job.batches.lengths)]
    needed = metrics.memory(every[-1])
    console.print("memory of a step, on each device: " + _sizes(needed))
    large = {name: size for name, size in sizes(state).items() if size >= 2**10}
    console.print("state, on all devices together: " + _sizes(large))


def compiled(job: Job, state: states.TrainState, length: int) -> jax.stages.Compiled:
    """The step for rows of this length; JAX keeps it, and the run compiles it no second time."""
    config = job.config.replace(data={"length": length})
    return job.step.lower(state, parallel.abstract_batch(config, job.mesh)).compile()


def unit() -> int:
    """What sizes should be a multiple of: the tiles of a GPU's matrix units are larger."""
    return 64 if jax.default_backend() == "gpu" else 8


def multiplied(config: Config, params: Params) -> dict[str, int]:
    """Rows and columns of the matrices in products, by name; layers of one kind are named once."""
    sizes, head = {}, "embed" if config.model.tied else "heads"
    for path, leaf in jax.tree.leaves_with_path(params):
        section, *names = (getattr(key, "key", None) or key.idx for key in path)
        if section == "layers":
            names = [name for name in names if isinstance(name, str)]
        if names[-1] == "kernel" or section == head:
            name = ".".join(map(str, [section, *names]))
            sizes |= {f"{name} (rows)": leaf.shape[-2], f"{name} (columns)": leaf.shape[-1]}
    return sizes


def padded(config: Config) -> list[str]:
    """What is aligned already, with columns that nothing reads."""
    used = split_columns(config) if "ssm" in config.model.pattern else 0
    more = aligned(used) - used
    return [f"mixer.into (columns) is {used}, padded to {used + more}"] if more else []


def padding_report(sizes: Mapping[str, int], multiple: int = 8) -> list[str]:
    """One line for each size that is no multiple, with the price of making it one."""
    return [
        f"{name} is {size}, not a multiple of {multiple}: {larger} would be "
        f"{larger / size - 1:.1%} more numbers, and usually less time"
        for name, size in sizes.items()
        if (larger := aligned(size, multiple)) != size
    ]


def sizes(tree: Any, name: str = "") -> dict[str, int]:
    """Bytes of each part of a state, by the names of its fields, as "opt_state.1.0.mu".

    The special type comes first: a NamedTuple is a tuple too, and as a `tuple` first
    it would lose its names. (gotcha: general-type-first)
    """
    # gotcha: shows[general-type-first] a NamedTuple is a tuple too
    if hasattr(tree, "_fields"):
        parts = zip(tree._fields, tree, strict=True)
    elif isinstance(tree, tuple):
        parts = enumerate(tree)
    else:
        return {name: sum(leaf.size * leaf.dtype.itemsize for leaf in jax.tree.leaves(tree))}
    found = [sizes(part, f"{name}.{key}" if name else str(key)) for key, part in parts]
    return {key: size for part in found for key, size in part.items()}


def peak(config: Config) -> str:
    """What `mfu` in metrics.jsonl is a share of."""
    kind, dtype = jax.devices()[0].device_kind, config.compute.dtype
    if found := peaks.peak(kind, dtype):
        return f"mfu is relative to {found[0]}"
    return f"no mfu: the dense peak of {kind!r} in {dtype} is not known (peaks.PEAKS)"


def reproducible(config: Config) -> str:
    """A note where a run and the same run again may differ in their last bits."""
    if jax.default_backend() != "gpu" or config.compute.deterministic:
        return ""
    return "the same run may give other last bits on a GPU; compute.deterministic=true prevents it"


def short(config: Config) -> str:
    """A note where the learning rate still rises when the run ends."""
    steps, warmup = config.run.steps, config.optimizer.warmup
    if warmup < steps:
        return ""
    last = np.asarray(states.schedule(config)(steps - 1)).item()
    return (
        f"optimizer.warmup={warmup} is not over in run.steps={steps}: the learning rate ends at "
        f"{last:.2g}, and optimizer.learning_rate is {config.optimizer.learning_rate:.2g}"
    )


def after(job: Job, result: Result, folder: Path, *, baselines: bool) -> None:
    console = _console()
    console.print(f"training steps compiled: {result.programs}, recompiled: {result.recompiled}")
    most = metrics.memory().get("most in use")
    shown = "not reported by this backend" if most is None else f"{most / 2**20:,.1f} MiB"
    console.print(f"peak memory of a device: {shown}")
    console.print(str(result.goodput))
    if skipped := int(result.state.skipped):
        console.print(f"updates left out because they were not finite: {skipped}")
    if result.stopped:
        console.print(
            f"{result.stopped}: saved step {int(result.state.step)}; the same command goes on"
        )
    if result.score is None or result.stopped:
        return
    context(job, result.state.params)  # in all processes: each holds a part of the batches
    first = jax.process_index() == 0
    processes.leave()
    if baselines and first:
        found = table(job.corpus, result.score)
        (folder / BASELINES).write_text(json.dumps(found, indent=1))
        try:
            plot(folder / "metrics.jsonl", found, folder / "losses.svg")
            console.print(f"losses: {folder / 'losses.svg'}")
        except UserError as error:
            console.print(str(error))


def table(corpus: Corpus, score: Score) -> dict[str, float]:
    """Print the baselines, best first, with the model among them; returns them."""
    found = baselines(corpus, orders=range(6))
    shown = Table("bits per " + corpus.unit, "", title="on the same held-out targets")
    bits = {name: value for name, value in found.items() if "accuracy" not in name}
    for name, value in sorted([*bits.items(), ("this model", score.bits)], key=lambda x: x[1]):
        shown.add_row(f"{value:.3f}", name, style="bold" if name == "this model" else "")
    _console().print(shown)
    for name in found.keys() - bits.keys():
        _console().print(f"accuracy {score.accuracy:.3f}; {name} {found[name]:.3f}")
    return found


def _sizes(found: dict[str, int]) -> str:
    return ", ".join(f"{name} {size / 2**20:,.1f} MiB" for name, size in found.items())


def _console() -> Console:
    return Console(quiet=jax.process_index() > 0, highlight=False, soft_wrap=True)
