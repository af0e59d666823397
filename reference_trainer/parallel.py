"""Many devices and hosts: one mesh, three ways to lay the state out, batches made where used.

Wrong: `jax.device_put` of the whole batch on every host, or a state that is laid out one way when
it is made and another way when it is restored: the second compiles again, with no retrace to see.
Wrong: axes left to the compiler (`AxisType.Auto`): where layouts do not fit it adds transfers, also
in loops, without a word. Right: an explicit axis, set once by `jax.set_mesh`: layouts are a part of
types, and what does not fit is an error. `jax.shard_map` runs a step on each device's own rows, and
every transfer is one of the two functions below, `gathered` and `summed`.
(gotchas: incompatible-devices, indivisible-batch, recompile, mesh-axis-types)
"""

from __future__ import annotations

import functools
import math
from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from reference_trainer.config import Config, ConfigError
from reference_trainer.data.batch import Batch, empty

AXIS = "data"
WHOLE = PartitionSpec()  # the same on all devices
ROWS = PartitionSpec(AXIS)  # each device has its own rows
SMALL = 2**12  # arrays with fewer elements are not worth cutting


def device_mesh() -> Mesh:
    """All devices of all processes, in a line. A program sets it once: `jax.set_mesh`."""
    # gotcha: shows[mesh-axis-types] explicit, whatever the default of this version is
    return jax.make_mesh((jax.device_count(),), (AXIS,), axis_types=(AxisType.Explicit,))


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
    return NamedSharding(mesh, WHOLE)


def by_rows(mesh: Mesh, *, stacked: bool = False) -> NamedSharding:
    return NamedSharding(mesh, PartitionSpec(None, AXIS) if stacked else ROWS)


def state_shardings(state: Any, mesh: Mesh, kind: str) -> Any:
    """A sharding for each leaf: "dp" copies it to all devices, the others cut its longest axis.

    "zero" gathers all weights once a step, before the parts of a batch, and scatters gradients
    once, after them; each device holds all of both meanwhile. "fsdp" gathers the weights of a layer
    where it is computed, on the way forward and back, and scatters its gradients there.
    """

    def one(path: tuple[Any, ...], leaf: Any) -> NamedSharding:
        return NamedSharding(mesh, _spec(leaf.shape, mesh.size, kind, _stacked(path)))

    return jax.tree.map_with_path(one, state)


def place(batch: Batch, mesh: Mesh) -> Batch:
    """From this process's rows to one array over all devices; of several batches if stacked."""
    sharding = by_rows(mesh, stacked=batch.weights.ndim == 3)
    return Batch(*(jax.make_array_from_process_local_data(sharding, leaf) for leaf in batch))


def abstract_batch(config: Config, mesh: Mesh) -> Batch:
    """What a step takes, of the longest rows: shapes, types and shardings, without arrays."""
    fused = config.run.fused
    shape = (*[fused][: fused > 1], config.data.batch, config.data.length)
    one = empty(1, 1, len(config.model.features), len(config.model.heads))
    made = functools.partial(jax.ShapeDtypeStruct, sharding=by_rows(mesh, stacked=fused > 1))
    return Batch(*(made((*shape, *leaf.shape[2:]), leaf.dtype) for leaf in one))


def specs(tree: Any) -> Any:
    """How each leaf is laid out, by its type."""
    return jax.tree.map(lambda leaf: jax.typeof(leaf).sharding.spec, tree)


def gathered(parts: Any, layouts: Any) -> Any:
    """On each device: whole arrays from all devices' parts. In a gradient it scatters the sums."""

    def whole(part: jax.Array, layout: PartitionSpec) -> jax.Array:
        if not _cut(layout):
            return part
        return jax.lax.all_gather(part, AXIS, axis=layout.index(AXIS), tiled=True)

    return jax.tree.map(whole, parts, jax.tree.broadcast(layouts, parts))


def summed(values: Any, layouts: Any, *, but_for_cut: bool = False) -> Any:
    """On each device: its part of the sums over all devices. `but_for_cut`: of cut ones it is."""

    def part(value: jax.Array, layout: PartitionSpec) -> jax.Array:
        if not _cut(layout):
            return jax.lax.psum(value, AXIS) if _several() else value
        axis = layout.index(AXIS)
        scatter = functools.partial(jax.lax.psum_scatter, scatter_dimension=axis, tiled=True)
        return value if but_for_cut else scatter(value, AXIS)

    return jax.tree.map(part, values, jax.tree.broadcast(layouts, values))


def own_key(key: jax.Array) -> jax.Array:
    """On each device: another key, as its rows are others."""
    return jax.random.fold_in(key, jax.lax.axis_index(AXIS)) if _several() else key


def _several() -> bool:
    return jax.sharding.get_abstract_mesh().size > 1


def _cut(layout: PartitionSpec) -> bool:
    return AXIS in layout and _several()


def _stacked(path: tuple[Any, ...]) -> bool:
    """Whether a leaf holds one array for each of several layers, which are used one by one."""
    names = [getattr(key, "key", None) for key in path]
    return "layers" in names and isinstance(names[names.index("layers") + 1], str)


def _spec(shape: tuple[int, ...], devices: int, kind: str, stacked: bool) -> PartitionSpec:
    axes = [i for i in range(stacked, len(shape)) if shape[i] % devices == 0]
    if kind == "dp" or math.prod(shape[stacked:]) < SMALL or not axes:
        return WHOLE
    longest = max(axes, key=lambda i: shape[i])
    return PartitionSpec(*(AXIS if i == longest else None for i in range(len(shape))))
