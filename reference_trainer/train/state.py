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
    """Clip first, then AdamW: clipping what Adam has scaled would bound nothing."""
    settings = config.optimizer
    return optax.chain(
        # gotcha: shows[clip-after-optimizer] the gradients are clipped, not the updates
        optax.clip_by_global_norm(settings.clip),
        optax.adamw(
            schedule(config),
            b1=settings.b1,
            b2=settings.b2,
            weight_decay=settings.weight_decay,
            mask=decayed,
        ),
    )


def decayed(params: backbone.Params) -> Any:
    """True for matrices. By name: stacked layers give every bias and scale a second axis."""

    def is_matrix(path: tuple[Any, ...], leaf: Any) -> bool:
        del leaf
        names = [key.key for key in path if isinstance(key, jax.tree_util.DictKey)]
        return names[-1] == "kernel" or names[0] in ("embed", "heads")

    return jax.tree.map_with_path(is_matrix, params)


def init(key: jax.Array, config: Config) -> TrainState:
    params = backbone.init(key, config)
    zero = jnp.zeros((), jnp.int32)  # gotcha: shows[recompile] has a type, unlike a Python 0
    return TrainState(zero, params, optimizer(config).init(params), zero)


def abstract(config: Config, mesh: Mesh) -> TrainState:
    """Shapes, types and shardings, without arrays: what a checkpoint is restored onto."""
    shapes = jax.eval_shape(lambda: init(jax.random.key(config.run.seed), config))
    shardings = parallel.state_shardings(shapes, mesh, config.run.parallel)
    return jax.tree.map(
        lambda leaf, sharding: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding),
        shapes,
        shardings,
    )


def create(config: Config, mesh: Mesh) -> TrainState:
    """A fresh state, each part made on the device where it stays."""
    shardings = jax.tree.map(lambda leaf: leaf.sharding, abstract(config, mesh))
    # gotcha: shows[recompile] the layout that the step returns, and that a restore gives
    make = jax.jit(init, static_argnames="config", out_shardings=shardings)
    return make(jax.random.key(config.run.seed), config=config)
