"""Parameters of scanned layers, stacked, and of unrolled ones, in a list: from one to the other."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import Mesh

from reference_trainer.config import Config
from reference_trainer.model.backbone import Params, scanned
from reference_trainer.train import state as states
from reference_trainer.train.checkpoint import Checkpoints, Saved


def restored(
    config: Config, mesh: Mesh, checkpoints: Checkpoints, saved: Saved
) -> states.TrainState:
    """The saved state, as `config` lays it out: scanned layers go on unrolled, and back."""
    target = states.abstract(config, mesh)
    layers = saved.config["compute"]["layers"]
    if layers == config.compute.layers:
        return checkpoints.restore(target, saved.step)
    other = states.abstract(config.replace(compute={"layers": layers}), mesh)
    shardings = jax.tree.map(lambda leaf: leaf.sharding, target)
    change = jax.jit(functools.partial(relaid, config=config), out_shardings=shardings)
    return change(checkpoints.restore(other, saved.step))


def unstack(stacked: Params) -> list[Params]:
    """From the layers of a scanned model to those of an unrolled one."""
    count = len(jax.tree.leaves(stacked)[0])
    return [jax.tree.map(lambda leaf, i=i: leaf[i], stacked) for i in range(count)]


def stack(layers: list[Params]) -> Params:
    """From the layers of an unrolled model to those of a scanned one."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *layers)


def relaid(tree: Any, config: Config) -> Any:
    """A tree that holds parameters, or what an optimizer keeps of them, in the layout of `config`.

    The same numbers, from the other layout.
    """
    change = stack if scanned(config) else unstack

    def one(part: Any) -> Any:
        return part | {"layers": change(part["layers"])} if isinstance(part, dict) else part

    return jax.tree.map(one, tree, is_leaf=lambda part: isinstance(part, dict))
