"""When a step is not finite: keep its batch, and find the operation that made the first NaN."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np

from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.errors import UserError
from reference_trainer.train.state import TrainState
from reference_trainer.train.step import gradients


class NotFinite(UserError):
    """The loss or the gradients of a step are NaN or infinite."""

    code = 1


def keep(batch: Batch, step: int, folder: Path) -> Path:
    """Write the rows of this process's devices to `bad-batch-STEP-PROCESS.npz`."""
    path = folder / f"bad-batch-{step}-{jax.process_index()}.npz"
    parts = (leaf.addressable_shards for leaf in batch)
    local = Batch(*(np.concatenate([np.asarray(p.data) for p in part]) for part in parts))
    np.savez_compressed(
        path,
        inputs=local.inputs,
        targets=local.targets,
        segments=local.segments,
        positions=local.positions,
        weights=local.weights,
    )
    return path


def explain(state: TrainState, batch: Batch, step: int, config: Config) -> str:
    """Compute the gradients again with `jax_debug_nans`: slow, and it names the operation.

    Within a scan it names the scan. Infinities are let through: masks are made of them.
    """

    def again(state: TrainState, batch: Batch) -> object:
        key = jax.random.fold_in(jax.random.key(config.run.seed), step - 1)
        return gradients(state.params, batch, config, key)

    try:
        with jax.debug_nans(True):
            jax.block_until_ready(jax.jit(again)(state, batch))
    except Exception as error:  # whatever happens here, the step that failed is the news
        return str(error).strip().partition("\n")[0]
    return "computed again with the newest parameters, the step is finite"
