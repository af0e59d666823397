"""From the last layer to the loss: tied or separate heads, in chunks where logits are large.

Wrong: a mean over the batch, taken before parts are put together: parts with fewer targets then
count as much as full ones. Right: a sum and a count; the division is the last thing that happens.

Wrong: a scan over chunks without `jax.checkpoint`: it keeps every chunk's logits for the way back,
and saves nothing. Right: with it, one chunk of logits exists at a time, forward and backward.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax

from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.model.backbone import Params
from reference_trainer.model.chunks import cut
from reference_trainer.precision import einsum32


class Sums(NamedTuple):
    """Sums over targets, all float32 scalars: they add up over chunks, parts, devices, batches."""

    loss: jax.Array  # natural logarithm
    correct: jax.Array
    targets: jax.Array  # their number

    @classmethod
    def zero(cls) -> Sums:
        return cls(*jnp.zeros(3))


def logits(params: Params, x: jax.Array, config: Config) -> list[jax.Array]:
    """One float32 array ...V for each head; the product's inputs have the compute type."""
    tables = params["embed"] if config.model.tied else params["heads"]
    return [einsum32("...d,vd->...v", x, table.astype(x.dtype)) for table in tables]


def sums(params: Params, x_BTD: jax.Array, batch: Batch, config: Config) -> Sums:
    """Cross-entropy of all heads' targets, weighted; a head's step is one target."""
    chunk, length = config.compute.loss_chunk, x_BTD.shape[1]
    if not chunk or chunk >= length:
        return _chunk_sums(params, x_BTD, batch.targets, batch.weights, config)

    @jax.checkpoint
    def body(total: Sums, part: tuple[jax.Array, jax.Array, jax.Array]) -> tuple[Sums, None]:
        return jax.tree.map(jnp.add, total, _chunk_sums(params, *part, config)), None

    parts = (cut(x_BTD, chunk), cut(batch.targets, chunk), cut(batch.weights, chunk))
    total, _ = jax.lax.scan(body, Sums.zero(), parts)
    return total


def _chunk_sums(
    params: Params, x_BTD: jax.Array, targets_BTH: jax.Array, weights_BT: jax.Array, config: Config
) -> Sums:
    loss_BT, correct_BT = jnp.zeros(weights_BT.shape), jnp.zeros(weights_BT.shape)
    heads = logits(params, x_BTD, config)
    for i, logits_BTV in enumerate(heads):
        target_BT = targets_BTH[..., i]
        # gotcha: shows[log-of-softmax] from logits; the softmax itself may underflow
        loss_BT += optax.softmax_cross_entropy_with_integer_labels(logits_BTV, target_BT)
        correct_BT += jnp.argmax(logits_BTV, axis=-1) == target_BT
    return Sums(
        loss=jnp.sum(loss_BT * weights_BT),
        correct=jnp.sum(correct_BT * weights_BT),
        targets=jnp.sum(weights_BT) * len(heads),
    )
