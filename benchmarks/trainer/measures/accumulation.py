"""Gradients of a batch in parts and of the whole batch, with rows of different lengths."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import optax

from benchmarks.trainer import cases
from benchmarks.trainer.row import Row, Size
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.model import backbone
from reference_trainer.train import step as steps

SECONDS = {"cpu": 120}
PARTS = 4


def measure(size: Size) -> Iterator[Row]:
    config = cases.small(depth=size.pick(1, 2, 2), length=size.pick(32, 128, 128), batch=8)
    params = jax.jit(backbone.init, static_argnames="config")(jax.random.key(0), config=config)
    batch = _ragged(config)
    whole = _gradients(params, batch, config)
    parts = _gradients(params, batch, config.replace(optimizer={"accumulate": PARTS}))
    some = [Batch(*(leaf[i::PARTS] for leaf in batch)) for i in range(PARTS)]
    means = jax.tree.map(
        lambda *leaves: sum(leaves) / PARTS, *(_gradients(params, part, config) for part in some)
    )
    yield Row("relative error of the gradients, in 4 parts", _error(parts, whole), "", "<= 1e-5")
    yield Row("the same, as the mean of the parts' means", _error(means, whole))


def _ragged(config: Config) -> Batch:
    """Row i has targets in its first i + 1 eighths."""
    batch = cases.full_batch(config)
    ends_B1 = (jnp.arange(config.data.batch)[:, None] + 1) * config.data.length // 8
    return batch._replace(weights=(batch.positions < ends_B1).astype(jnp.float32))


def _gradients(params: backbone.Params, batch: Batch, config: Config) -> backbone.Params:
    """Per target."""
    take = jax.jit(steps.gradients, static_argnames="config")
    grads, total = take(params, batch, config=config, key=jax.random.key(1))
    return jax.tree.map(lambda grad: grad / total.targets, grads)


def _error(found: backbone.Params, right: backbone.Params) -> float:
    difference = jax.tree.map(jnp.subtract, found, right)
    return float(optax.tree.norm(difference) / optax.tree.norm(right))
