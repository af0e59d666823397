"""All that a step changes and a checkpoint holds.

Wrong: `TrainState(step=0, ...)`: a Python number is weakly typed, the step's own result is not, and
the second call compiles everything again. Right: `jnp.zeros((), jnp.int32)`.

Wrong: a state made by plain calls, and a restored one laid out by the checkpoint: they differ in
being committed to devices, and the same jit compiles again without a retrace.
Right: made under jit with `out_shardings`, and restored onto the same. (gotcha: recompile)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh

from reference_trainer import parallel
from reference_trainer.config import Config
from reference_trainer.model import backbone


class TrainState(NamedTuple):
    """A tree of arrays and nothing else."""

    step: jax.Array  # int32: batches seen
    params: backbone.Params  # float32
    opt_state: optax.OptState
    skipped: jax.Array  # int32: updates left out because they were not finite


def schedule(config: Config) -> optax.Schedule:
    """Warm-up from 0, then half a cosine down to `final_share` of the learning rate."""
    optimizer = config.optimizer
    return optax.warmup_cosine_decay_schedule(
        init_value=0.0,
        peak_value=optimizer.learning_rate,
        warmup_steps=optimizer.warmup,
        decay_steps=max(config.run.steps, optimizer.warmup + 1),
        end_value=optimizer.learning_rate * optimizer.final_share,
    )


def optimizer(config: Config) -> optax.GradientTransformation:
    """Clip first, then AdamW (or Muon): clipping what they have scaled would bound nothing."""
    settings, rate = config.optimizer, schedule(config)
    if settings.kind == "muon":
        from reference_trainer.extras.muon import muon

        scaled = muon(settings, rate)
    else:
        scaled = optax.adamw(
            rate, settings.b1, settings.b2, weight_decay=settings.weight_decay, mask=decayed
        )
    # gotcha: shows[clip-after-optimizer] the gradients are clipped, not the updates
    return optax.chain(optax.clip_by_global_norm(settings.clip), scaled)


def update(
    grads: backbone.Params, state: TrainState, config: Config
) -> tuple[backbone.Params, optax.OptState]:
    """What to add to the parameters, and the optimizer's next state."""
    change: Any = optimizer(config).update
    if config.optimizer.kind == "muon":  # XLA lays out its products of matrices that are cut
        layouts = parallel.specs((state.params, state.opt_state))
        change = jax.sharding.auto_axes(change, out_sharding=layouts)
    # gotcha: shows[update-without-params] weight decay needs the parameters
    return change(grads, state.opt_state, state.params)


def decayed(params: backbone.Params) -> Any:
    """True for matrices. By name: stacked layers give every bias and scale a second axis."""

    def is_matrix(path: tuple[Any, ...], leaf: Any) -> bool:
        del leaf
        return path[0].key in ("embed", "heads") or backbone.is_kernel(path)

    return jax.tree.map_with_path(is_matrix, params)


def init(key: jax.Array, config: Config) -> TrainState:
    params = backbone.init(key, config)
    zero = jnp.zeros((), jnp.int32)  # gotcha: shows[recompile] has a type, unlike a Python 0
    return TrainState(zero, params, optimizer(config).init(params), zero)


def abstract(config: Config, mesh: Mesh) -> TrainState:
    """Shapes, types and shardings, without arrays: what a checkpoint is restored onto."""
    shapes = jax.eval_shape(lambda: init(jax.random.key(config.run.seed), config))
    shardings = parallel.state_shardings(shapes, mesh, config.run.parallel)
    return jax.tree.map(lambda leaf, to: leaf.update(sharding=to), shapes, shardings)


def create(config: Config, mesh: Mesh) -> TrainState:
    """A fresh state, each part made on the device where it stays."""
    shardings = jax.tree.map(lambda leaf: leaf.sharding, abstract(config, mesh))
    # gotcha: shows[recompile] the layout that the step returns, and that a restore gives
    make = jax.jit(init, static_argnames="config", out_shardings=shardings)
    return make(jax.random.key(config.run.seed), config=config)
