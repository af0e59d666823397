"""Many devices and hosts: one mesh, three ways to lay the state out, batches made where used.

Wrong: `jax.device_put` of the whole batch on every host, or a state that is laid out one way when
it is made and another way when it is restored: the second compiles again, with no retrace to see.
Right: every array has the sharding that the step was compiled for from the moment it exists.
(gotchas: incompatible-devices, indivisible-batch, recompile)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
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
    return NamedSharding(mesh, WHOLE)


def by_rows(mesh: Mesh) -> NamedSharding:
    return NamedSharding(mesh, ROWS)


def state_shardings(state: Any, mesh: Mesh, kind: str) -> Any:
    """A sharding for each leaf: "dp" copies it to all devices, the others cut its longest axis.

    "zero" gathers the weights once a step, before the parts, and scatters their gradients once,
    after them: no transfer is in a loop, but each device holds all weights meanwhile. "fsdp"
    gathers where weights are used, in each part and turn of a scan: less memory, more transfers.
    """
    return jax.tree.map(lambda x: NamedSharding(mesh, _spec(x.shape, mesh.size, kind)), state)


def place(batch: Batch, mesh: Mesh) -> Batch:
    """From this process's rows to one array over all devices."""
    sharding = by_rows(mesh)
    return Batch(*(jax.make_array_from_process_local_data(sharding, leaf) for leaf in batch))


def abstract_batch(config: Config, mesh: Mesh) -> Batch:
    """Shapes, types and shardings of a batch of the longest rows, without arrays."""
    rows, length = config.data.batch, config.data.length
    one = empty(1, 1, len(config.model.features), len(config.model.heads))
    made = functools.partial(jax.ShapeDtypeStruct, sharding=by_rows(mesh))
    return Batch(*(made((rows, length, *leaf.shape[2:]), leaf.dtype) for leaf in one))


def spread(x: jax.Array) -> jax.Array:
    """Rows stay where they are. Inside a scan over sharded weights the compiler may decide
    otherwise, and gather activations. Without a mesh in the context, `x` itself.
    """
    mesh = jax.sharding.get_abstract_mesh()
    if mesh.empty or AXIS in mesh.manual_axes:
        return x
    return jax.lax.with_sharding_constraint(x, ROWS)


def gathered(function: Callable, params: Any, kind: str) -> Callable:
    """`function(params, rows, key)` on whole parameters and each device's own rows: (gradients,
    sums), summed over the devices. Parameters come, and gradients go, as `state_shardings` cuts.
    """
    mesh = jax.sharding.get_abstract_mesh()
    if mesh.empty or mesh.size == 1:
        return function
    cuts = jax.tree.map(lambda leaf: _spec(leaf.shape, mesh.size, kind), params)

    def whole(part: jax.Array, cut: PartitionSpec) -> jax.Array:
        if cut == WHOLE:
            return part
        return jax.lax.all_gather(part, AXIS, axis=cut.index(AXIS), tiled=True)

    def parts(grad: jax.Array, cut: PartitionSpec) -> jax.Array:
        if cut == WHOLE:
            return jax.lax.psum(grad, AXIS)
        return jax.lax.psum_scatter(grad, AXIS, scatter_dimension=cut.index(AXIS), tiled=True)

    def local(params: Any, rows: Any, key: Any) -> Any:
        grads, sums = function(jax.tree.map(whole, params, cuts), rows, key)
        return jax.tree.map(parts, grads, cuts), jax.lax.psum(sums, AXIS)

    specs = (cuts, ROWS, WHOLE)
    return jax.shard_map(local, in_specs=specs, out_specs=(cuts, WHOLE), check_vma=False)


def on_each_device(function: Callable, arguments: Any, results: Any) -> Callable:
    """`function` of each device's own part of the arguments; sums over rows become whole sums.

    `arguments` and `results` say WHOLE or ROWS of each argument and result. A WHOLE result is added
    up over the devices, once, after `function`: left to the compiler, a sum in a loop is a
    transfer between all devices in each of its turns. Without a mesh in the context, or inside of
    another such call, `function` itself.
    """
    mesh = jax.sharding.get_abstract_mesh()
    if mesh.empty or mesh.size == 1 or AXIS in mesh.manual_axes:
        return function

    def local(*args: Any) -> Any:
        return jax.tree.map(_reduced, results, function(*args))

    # The types of `shard_map` would ask for a mark at each start of a loop.
    return jax.shard_map(local, in_specs=arguments, out_specs=results, check_vma=False)


def own_key(key: jax.Array) -> jax.Array:
    """Inside of `on_each_device`: another key for each device, whose rows are others."""
    mesh = jax.sharding.get_abstract_mesh()
    return jax.random.fold_in(key, jax.lax.axis_index(AXIS)) if AXIS in mesh.manual_axes else key


def _reduced(layout: PartitionSpec, part: Any) -> Any:
    return jax.lax.psum(part, AXIS) if layout == WHOLE else part


def _spec(shape: tuple[int, ...], devices: int, kind: str) -> PartitionSpec:
    axes = [i for i, size in enumerate(shape) if size % devices == 0]
    if kind == "dp" or math.prod(shape) < SMALL or not axes:
        return WHOLE
    longest = max(axes, key=lambda i: shape[i])
    return PartitionSpec(*(AXIS if i == longest else None for i in range(len(shape))))
