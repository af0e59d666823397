"""Many devices and hosts: one mesh, two ways to lay the state out, batches made where used.

Wrong: `jax.device_put` of the whole batch on every host, or a state that is laid out one way when
it is made and another way when it is restored: the second compiles again, with no retrace to see.
Right: every array has the sharding that the step was compiled for from the moment it exists.
(gotchas: incompatible-devices, indivisible-batch, recompile)
"""

from __future__ import annotations

from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from reference_trainer.config import Config, ConfigError
from reference_trainer.data.batch import Batch, empty

AXIS = "data"
SMALL = 2**12  # arrays with fewer elements are not worth cutting


def device_mesh() -> Mesh:
    """All devices of all processes, in a line."""
    # gotcha: shows[mesh-axis-types] without, axes are explicit and plain products are refused
    return jax.make_mesh((jax.device_count(),), (AXIS,), axis_types=(AxisType.Auto,))


def check(config: Config) -> None:
    """ConfigError where rows cannot be spread evenly over the devices."""
    # gotcha: shows[indivisible-batch] said before anything compiles
    parts = config.optimizer.accumulate * jax.device_count()
    if config.data.batch % parts:
        raise ConfigError(
            f"data.batch={config.data.batch} must divide by {parts}: "
            f"{jax.device_count()} devices x optimizer.accumulate={config.optimizer.accumulate}"
        )


def local_rows(config: Config) -> slice:
    """The rows of a batch that this process reads; the processes' slices make up the batch."""
    share = config.data.batch // jax.process_count()
    return slice(jax.process_index() * share, (jax.process_index() + 1) * share)


def replicated(mesh: Mesh) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec())


def by_rows(mesh: Mesh) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec(AXIS))


def state_shardings(state: Any, mesh: Mesh, kind: str) -> Any:
    """A sharding for each leaf: "dp" copies it to all devices, "fsdp" cuts its longest axis."""

    def of(leaf: jax.ShapeDtypeStruct) -> NamedSharding:
        return NamedSharding(mesh, _cut(leaf.shape, mesh.size) if kind == "fsdp" else _whole())

    return jax.tree.map(of, state)


def place(batch: Batch, mesh: Mesh) -> Batch:
    """From this process's rows to one array over all devices."""
    sharding = by_rows(mesh)
    return Batch(*(jax.make_array_from_process_local_data(sharding, leaf) for leaf in batch))


def abstract_batch(config: Config, mesh: Mesh) -> Batch:
    """Shapes, types and shardings of a batch of the longest rows, without arrays."""
    rows, length = config.data.batch, config.data.length
    local = empty(1, 1, len(config.model.features), len(config.model.heads))
    sharding = by_rows(mesh)
    return Batch(
        *(
            jax.ShapeDtypeStruct((rows, length, *leaf.shape[2:]), leaf.dtype, sharding=sharding)
            for leaf in local
        )
    )


def spread(x: jax.Array) -> jax.Array:
    """Rows stay where they are. Inside a scan over sharded weights the compiler may decide
    otherwise, and gather activations. Without a mesh in the context, `x` itself.
    """
    mesh = jax.sharding.get_abstract_mesh()
    return x if mesh.empty else jax.lax.with_sharding_constraint(x, PartitionSpec(AXIS))


def _cut(shape: tuple[int, ...], devices: int) -> PartitionSpec:
    elements = 1
    for size in shape:
        elements *= size
    axes = [i for i, size in enumerate(shape) if size % devices == 0]
    if elements < SMALL or not axes:
        return _whole()
    longest = max(axes, key=lambda i: shape[i])
    return PartitionSpec(*(AXIS if i == longest else None for i in range(len(shape))))


def _whole() -> PartitionSpec:
    return PartitionSpec()
