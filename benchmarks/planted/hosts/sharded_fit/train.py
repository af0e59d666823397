# pyright: reportReturnType=false, reportAssignmentType=false, reportArgumentType=false
"""Fits on two devices, averages the weights, keeps a checkpoint."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from .data import Batch, batch_at, problem
from .model import State, create, describe, optimizer, squared

FEATURES = 8
SIZE = 16


def make_mesh() -> Mesh:
    return jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))


def make_step(mesh: Mesh) -> Any:
    """The compiled step of this mesh."""
    tx = optimizer()

    def loss_of(params: dict[str, jax.Array], batch: Batch) -> jax.Array:
        local = squared(params, jnp.asarray(batch.inputs), jnp.asarray(batch.targets))
        return jax.lax.pmean(local, "data")

    def gradients(params: dict[str, jax.Array], batch: Batch) -> Any:
        loss, grads = jax.value_and_grad(loss_of)(params, batch)
        return loss, grads

    spread = jax.shard_map(gradients, mesh=mesh, in_specs=(P(), P("data")), out_specs=(P(), P()))

    def step(state: State, batch: Batch) -> tuple[State, jax.Array]:
        loss, grads = spread(state.params, batch)
        updates, opt_state = tx.update(grads, state.opt_state, state.params)
        params = optax.apply_updates(state.params, updates)
        average = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, state.average, params)
        return State(state.step + 1, params, opt_state, average), loss

    return jax.jit(step, donate_argnums=0)


def place(tree: Any, mesh: Mesh, spec: P) -> Any:
    return jax.device_put(tree, NamedSharding(mesh, spec))


def fit(mesh: Mesh, steps: int) -> tuple[State, list[float]]:
    """The state after `steps` steps, and the losses."""
    rows = problem(64, FEATURES)
    step = make_step(mesh)
    state = place(create(FEATURES, seed=0), mesh, P())
    losses = []
    for number in range(steps):
        batch = place(batch_at(rows, number, SIZE), mesh, P("data"))
        state, loss = step(state, batch)
        losses.append(loss)
    return state, jax.device_get(losses)


def save(state: State, folder: Path) -> None:
    checkpointer = ocp.StandardCheckpointer()
    checkpointer.save(folder.absolute(), state.params)
    checkpointer.wait_until_finished()


def main() -> dict[str, float]:
    mesh = make_mesh()
    state, losses = fit(mesh, 8)
    save(state, Path("checkpoint"))
    Path("state.json").write_text(json.dumps(describe(state)))
    return {
        "devices": float(jax.device_count()),
        "train": float(np.sum(losses)),
        "average": float(jnp.sum(state.average["w"])),
        "described": float(Path("state.json").read_text().count("{")),
    }


if __name__ == "__main__":
    print(main())
