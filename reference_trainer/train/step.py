"""One training step: all it needs comes in as an argument, all it makes goes out.

Wrong: a new `jax.jit(lambda ...)` for each batch, a batch from the scope around, a key that is used
twice, a mean of means. Right: one jit object, made outside the loop; the state donated, so that old
and new share their memory; the key derived from the step's number, so that a resumed run draws the
same; sums divided once, at the end.
(gotchas: jit-in-loop, jit-captures-batch, key-reuse, use-after-donation, constant-key-in-jit,
host-read-every-step)
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh

from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.data.batch import Batch
from reference_trainer.model import backbone, heads
from reference_trainer.model.heads import Sums
from reference_trainer.parallel import ROWS, WHOLE
from reference_trainer.run.flags import compiler_options
from reference_trainer.train import state as states
from reference_trainer.train.state import TrainState


class Metrics(NamedTuple):
    """Scalars on the device; reading one waits for the step."""

    loss: jax.Array  # float32: nats per target, before the update
    targets: jax.Array  # float32: their number
    grad_norm: jax.Array  # float32: before clipping
    finite: jax.Array  # bool: False where the update was left out


Step = jax.stages.Wrapped  # (TrainState, Batch) -> (TrainState, Metrics)
EvalStep = jax.stages.Wrapped  # (Params, Batch, Sums) -> Sums


def build(config: Config, mesh: Mesh) -> Step:
    """The compiled step; call this once in a run. One program for each length of row.

    With `run.fused` a call takes so many batches, stacked, and gives as many metrics: a device does
    not wait for a slow host between them.
    """
    shardings = jax.tree.map(lambda leaf: leaf.sharding, states.abstract(config, mesh))
    results, options = (shardings, parallel.replicated(mesh)), compiler_options(config)

    # gotcha: shows[jit-captures-batch] the batch is an argument; only the settings are closed over
    def step(state: TrainState, batch: Batch) -> tuple[TrainState, Metrics]:
        if config.run.fused == 1:
            return train_step(state, batch, config)
        return jax.lax.scan(lambda state, one: train_step(state, one, config), state, batch)

    # gotcha: shows[use-after-donation] the old state is gone after the call: the caller rebinds it
    return jax.jit(step, donate_argnums=0, out_shardings=results, compiler_options=options)


def build_eval(config: Config, mesh: Mesh) -> EvalStep:
    """The compiled evaluation: adds a batch to the sums, which stay on the device."""

    def step(params: backbone.Params, batch: Batch, total: Sums) -> Sums:
        layouts = parallel.specs(params)

        def local(parts: backbone.Params, batch: Batch) -> Sums:
            return parallel.summed(batch_sums(parts, batch, config, None, layouts), WHOLE)

        each = jax.shard_map(local, in_specs=(layouts, ROWS), out_specs=WHOLE, check_vma=False)
        return jax.tree.map(jnp.add, total, each(params, batch))

    return jax.jit(
        step,
        out_shardings=parallel.replicated(mesh),
        compiler_options=compiler_options(config),
    )


class Score(NamedTuple):
    """Of a set of targets."""

    bits: float  # per target
    accuracy: float  # share of targets that got the highest probability
    targets: int


def evaluate(
    step: EvalStep, params: backbone.Params, batches: Iterable[Batch], mesh: Mesh, limit: int = 0
) -> Score:
    """Over all batches, or the first `limit`."""
    total = jax.device_put(Sums.zero(), parallel.replicated(mesh))
    for batch in itertools.islice(batches, limit or None):
        total = step(params, parallel.place(batch, mesh), total)
    # gotcha: shows[host-read-every-step] one read, after the last batch was sent
    loss, correct, count = (float(value) for value in jax.device_get(total))
    count = max(count, 1.0)
    return Score(loss / count / math.log(2), correct / count, int(count))


def train_step(state: TrainState, batch: Batch, config: Config) -> tuple[TrainState, Metrics]:
    """The pure function behind `build`."""
    # gotcha: shows[constant-key-in-jit] each step folds its own number in
    key = jax.random.fold_in(jax.random.key(config.run.seed), state.step)
    grads, total = summed_gradients(state.params, batch, config, key)
    count = jnp.maximum(total.targets, 1.0)
    grads = jax.tree.map(lambda grad: grad / count, grads)
    norm = optax.tree.norm(grads)
    updates, opt_state = states.update(grads, state, config)
    params = optax.apply_updates(state.params, updates)
    finite = jnp.isfinite(total.loss) & jnp.isfinite(norm)
    params, opt_state = jax.tree.map(
        functools.partial(jnp.where, finite), (params, opt_state), (state.params, state.opt_state)
    )
    after = TrainState(state.step + 1, params, opt_state, state.skipped + ~finite)
    return after, Metrics(total.loss / count, total.targets, norm, finite)


def summed_gradients(
    params: backbone.Params, batch: Batch, config: Config, key: jax.Array
) -> tuple[backbone.Params, Sums]:
    """Gradients of the loss summed over the rows of all devices, laid out as the parameters."""
    layouts = parallel.specs(params)

    def local(parts: backbone.Params, batch: Batch, key: jax.Array) -> Any:
        key = parallel.own_key(key)
        if config.run.parallel == "fsdp":  # layers are gathered, and their gradients summed, there
            grads, total = jax.grad(_loss, has_aux=True)(parts, batch, config, key, layouts)
            grads = parallel.summed(grads, layouts, but_for_cut=True)
        else:  # devices meet once, after the last part of the batch
            whole = parallel.gathered(parts, layouts)
            grads, total = gradients(whole, batch, config, key)
            grads = parallel.summed(grads, layouts)
        return grads, parallel.summed(total, WHOLE)

    arguments, results = (layouts, ROWS, WHOLE), (layouts, WHOLE)
    # With `check_vma` each loop that begins with zeros would need a mark.
    each = jax.shard_map(local, in_specs=arguments, out_specs=results, check_vma=False)
    return each(params, batch, key)


def gradients(
    params: backbone.Params, batch: Batch, config: Config, key: jax.Array
) -> tuple[backbone.Params, Sums]:
    """Of one device's rows, and the sums; in `accumulate` parts, one after another."""
    parts, take = config.optimizer.accumulate, jax.grad(_loss, has_aux=True)
    if parts == 1:
        return take(params, batch, config, key)

    def body(
        total: tuple[backbone.Params, Sums], part: tuple[Batch, jax.Array]
    ) -> tuple[tuple[backbone.Params, Sums], None]:
        return jax.tree.map(jnp.add, total, take(params, part[0], config, part[1])), None

    zero = (jax.tree.map(jnp.zeros_like, params), Sums.zero())
    rows = Batch(*(leaf.reshape(parts, -1, *leaf.shape[1:]) for leaf in batch))
    # gotcha: shows[key-reuse] a key for each part
    total, _ = jax.lax.scan(body, zero, (rows, jax.random.split(key, parts)))
    return total


def batch_sums(
    params: backbone.Params,
    batch: Batch,
    config: Config,
    key: jax.Array | None,
    layouts: backbone.Params | None = None,
) -> Sums:
    """Loss, hits and number of targets of a batch.

    With `layouts` of the parameters, on each device: it holds parts of them. Tables are gathered
    here, once, and each layer where it is used.
    """
    if layouts is None:
        return heads.sums(params, backbone.hidden(params, batch, config, key), batch, config)
    params = parallel.gathered(params, layouts | {"layers": WHOLE})
    x_BTD = backbone.hidden(params, batch, config, key, layouts["layers"])
    return heads.sums(params, x_BTD, batch, config)


def _loss(
    params: backbone.Params,
    batch: Batch,
    config: Config,
    key: jax.Array,
    layouts: backbone.Params | None = None,
) -> tuple[jax.Array, Sums]:
    total = batch_sums(params, batch, config, key if config.model.dropout else None, layouts)
    return total.loss, total
