"""From the last layer to the loss, whose gradient is made on the way forward.

Wrong: float32 logits of the whole batch, kept for the way back: the largest array of a step. Wrong:
a scan over chunks under `jax.checkpoint`: it computes each product with the table twice. Wrong: a
label's logit by an index: its gradient is a scatter into zeros as many as the logits.
Right: the gradient of a cross-entropy, softmax minus one at the label, is known as soon as the
logits are. Each chunk gives its loss and its gradients, and is dropped; the way back only scales.
Labels are compared with a counter.

Wrong: a mean over the batch, taken before parts are put together: parts with fewer targets then
count as much as full ones. Right: a sum and a count; the division is the last thing that happens.

Axes: B rows, T steps, L steps in a chunk, C chunks, D width, V vocabulary, H heads.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.model.backbone import Params
from reference_trainer.model.parts import cut, joined
from reference_trainer.precision import einsum32

Tables = list[jax.Array]  # one VD for each head


class Sums(NamedTuple):
    """Sums over targets, all float32 scalars: they add up over chunks, parts, devices, batches."""

    loss: jax.Array  # natural logarithm
    correct: jax.Array
    targets: jax.Array  # their number

    @classmethod
    def zero(cls) -> Sums:
        return cls(*jnp.zeros(3))


class Steps(NamedTuple):
    """The inputs of the loss: all steps, or those of a chunk."""

    x_BTD: jax.Array
    targets_BTH: jax.Array
    weights_BT: jax.Array


class Gradients(NamedTuple):
    """Of the summed loss."""

    x_BTD: Any  # in the type of x_BTD; None without gradients
    tables: Any  # float32, one for each head


def logits(params: Params, x: jax.Array, config: Config) -> list[jax.Array]:
    """One float32 array ...V for each head; the product's inputs have the compute type."""
    return [_logits(x, table) for table in _tables(params, config)]


def sums(params: Params, x_BTD: jax.Array, batch: Batch, config: Config) -> Sums:
    """Cross-entropy of all heads' targets, weighted; a head's step is one target.

    Weights get no gradient. With fsdp the parts of a batch are parts of each layer's work, and of
    the loss's: chunks as many.
    """
    chunk, tables = config.compute.loss_chunk, _tables(params, config)
    if config.run.parallel == "fsdp":
        chunk = chunk or -(-x_BTD.shape[1] // config.optimizer.accumulate)
    return _cross_entropy(x_BTD, tables, batch.targets, batch.weights, chunk)


@partial(jax.custom_vjp, nondiff_argnums=(4,))
def _cross_entropy(
    x_BTD: jax.Array, tables: Tables, targets_BTH: jax.Array, weights_BT: jax.Array, chunk: int
) -> Sums:
    """Without gradients, for evaluation."""
    return _chunks(tables, Steps(x_BTD, targets_BTH, weights_BT), chunk, with_gradients=False)[0]


def _forward(
    x_BTD: jax.Array, tables: Tables, targets_BTH: jax.Array, weights_BT: jax.Array, chunk: int
) -> tuple[Sums, Gradients]:
    return _chunks(tables, Steps(x_BTD, targets_BTH, weights_BT), chunk, with_gradients=True)


def _backward(chunk: int, saved: Gradients, by: Sums) -> tuple[jax.Array, Tables, None, None]:
    del chunk
    x_BTD = saved.x_BTD * by.loss.astype(saved.x_BTD.dtype)
    return x_BTD, [table * by.loss for table in saved.tables], None, None


_cross_entropy.defvjp(_forward, _backward)


def _chunks(
    tables: Tables, steps: Steps, chunk: int, *, with_gradients: bool
) -> tuple[Sums, Gradients]:
    """One chunk after another; of all steps (`chunk` 0) there is one, and no loop is left."""
    length = steps.x_BTD.shape[1]

    def body(carry: tuple[Sums, Tables], part: Steps) -> tuple[tuple[Sums, Tables], Any]:
        total, grads = _chunk(tables, part, with_gradients)
        return jax.tree.map(jnp.add, carry, (total, grads.tables)), grads.x_BTD

    zero = (Sums.zero(), [jnp.zeros_like(table) for table in tables if with_gradients])
    parts = Steps(*(cut(x, min(chunk or length, length)) for x in steps))
    (total, table_grads), x_CBLD = lax.scan(body, zero, parts)
    x_grad_BTD = joined(x_CBLD, length) if with_gradients else None
    return total, Gradients(x_grad_BTD, table_grads)


def _chunk(tables: Tables, steps: Steps, with_gradients: bool) -> tuple[Sums, Gradients]:
    """Softmax and sums are float32; products have the compute type and are summed in float32."""
    x_BTD, weights_BT1, dtype = steps.x_BTD, steps.weights_BT[..., None], steps.x_BTD.dtype
    loss_BT, correct_BT = jnp.zeros(steps.weights_BT.shape), jnp.zeros(steps.weights_BT.shape)
    x_grad_BTD, table_grads = jnp.zeros(x_BTD.shape, jnp.float32), []
    for i, table in enumerate(tables):
        logits_BTV = _logits(x_BTD, table)
        target_BT1 = steps.targets_BTH[..., i, None]
        label_BTV = lax.broadcasted_iota(jnp.int32, logits_BTV.shape, 2) == target_BT1
        less_BTV = logits_BTV - jnp.max(logits_BTV, axis=-1, keepdims=True)
        exp_BTV = jnp.exp(less_BTV)
        total_BT1 = jnp.sum(exp_BTV, axis=-1, keepdims=True)
        own_BT = jnp.sum(jnp.where(label_BTV, less_BTV, 0.0), axis=-1)
        # gotcha: shows[log-of-softmax] from logits; the softmax itself may underflow
        loss_BT += jnp.log(total_BT1[..., 0]) - own_BT
        correct_BT += own_BT == 0  # no logit is larger than the target's
        if with_gradients:
            share_BTV = exp_BTV * (weights_BT1 / total_BT1)
            grad_BTV = (share_BTV - jnp.where(label_BTV, weights_BT1, 0.0)).astype(dtype)
            x_grad_BTD += einsum32("btv,vd->btd", grad_BTV, table.astype(dtype))
            table_grads.append(einsum32("btv,btd->vd", grad_BTV, x_BTD))
    total = Sums(
        loss=jnp.sum(loss_BT * steps.weights_BT),
        correct=jnp.sum(correct_BT * steps.weights_BT),
        targets=jnp.sum(steps.weights_BT) * len(tables),
    )
    return total, Gradients(x_grad_BTD.astype(dtype) if with_gradients else None, table_grads)


def _logits(x: jax.Array, table: jax.Array) -> jax.Array:
    return einsum32("...d,vd->...v", x, table.astype(x.dtype))


def _tables(params: Params, config: Config) -> Tables:
    return params["embed"] if config.model.tied else params["heads"]
