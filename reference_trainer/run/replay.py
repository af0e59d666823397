"""When a step is not finite: keep its batch, and find the operation that made the first NaN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np

from reference_trainer.config import Config, UserError
from reference_trainer.data.batch import Batch
from reference_trainer.model.backbone import Params
from reference_trainer.train.state import TrainState
from reference_trainer.train.step import gradients, summed_gradients


class NotFinite(UserError):
    """The loss or the gradients of a step are NaN or infinite."""

    code = 1


class Step(NamedTuple):
    """A step that has arrived."""

    number: int
    length: int  # of its rows
    loss: float
    targets: float
    grad_norm: float
    finite: float  # 0 where not


def keep(batch: Batch, step: int, folder: Path) -> Path:
    """Write the rows of this process's devices to `bad-batch-STEP-PROCESS.npz`."""
    path = folder / f"bad-batch-{step}-{jax.process_index()}.npz"
    parts = (leaf.addressable_shards for leaf in batch)
    local = Batch(*(np.concatenate([np.asarray(p.data) for p in part]) for part in parts))
    np.savez_compressed(path, **local._asdict())
    return path


def not_finite(
    state: TrainState, step: Step, batch: Batch, paths: Sequence[Path], config: Config
) -> NotFinite:
    """The error, with the operation; the batches of this step, and maybe the next, are kept."""
    again = "; nor was the step after it: lower optimizer.learning_rate if this goes on"
    return NotFinite(
        f"step {step.number} was not finite: loss {step.loss}, norm of the gradients "
        f"{step.grad_norm}; its update was left out, its batch is in {paths[0]}"
        f"{again if len(paths) > 1 else ''}\n{explain(state, batch, step.number, config)}"
    )


def explain(state: TrainState, batch: Batch, step: int, config: Config) -> str:
    """Compute the gradients again with `jax_debug_nans`: slow, and it names the operation.

    Within a scan it names the scan. Infinities are let through: masks are made of them. All rows
    go to one device, without `shard_map`, of which JAX would name nothing else. With several
    processes, whose rows no device has together, it does.
    """
    alone = jax.process_count() == 1
    take = gradients if alone else summed_gradients

    def again(params: Params, batch: Batch) -> object:
        key = jax.random.fold_in(jax.random.key(config.run.seed), step - 1)
        return take(params, batch, config, key)

    try:
        given = (state.params, batch)
        with jax.debug_nans(True):
            jax.block_until_ready(jax.jit(again)(*jax.device_get(given) if alone else given))
    except Exception as error:  # whatever happens here, the step that failed is the news
        return str(error).strip().partition("\n")[0]
    return "computed again with the newest parameters, the step is finite"
