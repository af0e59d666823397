"""Many devices and hosts: one mesh, two ways to lay the state out, batches made where used.

Wrong: `jax.device_put` of the whole batch on every host, or a state that is laid out one way when
it is made and another way when it is restored: the second compiles again, with no retrace to see.
Right: every array has the sharding that the step was compiled for from the moment it exists.
(gotchas: incompatible-devices, indivisible-batch, recompile)
"""

from __future__ import annotations

import importlib.util
import os
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from reference_trainer.config import Config, ConfigError
from reference_trainer.data.batch import Batch, empty

AXIS = "data"
# In errors of collectives (on a CPU, on a GPU) and of JAX's coordination service.
LOST = re.compile(
    r"\bGloo\b|\bNCCL\b|[Cc]oordination ?[Ss]ervice|heartbeat|Barrier (failed|timed out)"
)
SMALL = 2**12  # arrays with fewer elements are not worth cutting


def connect(spec: str) -> None:
    """Join the processes of a run; call it before anything touches a device. ConfigError.

    `spec` is "none" (one process), "auto" (SLURM, Open MPI, Kubernetes and Cloud TPU are recognised
    by JAX), or "HOST:PORT,PROCESSES,ID".
    """
    if spec == "none":
        return
    timeout = int(os.environ.get("REFERENCE_TRAINER_CONNECT_SECONDS", "300"))
    if spec == "auto":
        try:
            jax.distributed.initialize(initialization_timeout=timeout)
        except (RuntimeError, ValueError) as error:
            raise ConfigError(
                f"--distributed auto: no cluster was recognised ({_unrecognised(error)}); "
                "give HOST:PORT,PROCESSES,ID"
            ) from error
        return
    address, *numbers = spec.split(",")
    host, _, port = address.rpartition(":")
    if not host or len(numbers) != 2 or not all(n.isdigit() for n in (port, *numbers)):
        raise ConfigError(f"--distributed {spec}: none, auto, or HOST:PORT,PROCESSES,ID")
    processes, own = map(int, numbers)
    if own >= processes:
        raise ConfigError(f"--distributed {spec}: the ID is a number from 0 to {processes - 1}")
    if own:
        _await(host.strip("[]"), int(port), timeout)
    jax.distributed.initialize(address, processes, own, initialization_timeout=timeout)


def leave() -> None:
    """Part from the other processes: what one does alone from here on, the others need not await.

    Without it they wait for that one as they exit, and are killed when it takes minutes.
    """
    if jax.process_count() > 1:
        jax.distributed.shutdown()


@contextmanager
def together() -> Iterator[None]:
    """Ends this process, with a line and exit code 1, where an error says that another is gone.

    At once, without clean-up: a save and JAX's own exit would wait for the others for more than a
    minute, and then be aborted. Only the steps since the last checkpoint are lost.
    """
    try:
        yield
    except Exception as error:
        if jax.process_count() == 1 or not (why := _lost(error)):
            raise
        print(
            f"reference_trainer: another process of this run is gone ({why[:200]}): give the same "
            "commands again, all of them; the run goes on from its last checkpoint",
            file=sys.stderr,
            flush=True,
        )
        os._exit(1)


def _lost(error: BaseException | None) -> str:
    """What an error, or rather what caused it, says about a peer; else empty."""
    found = ""
    while error is not None:
        if LOST.search(str(error)):
            found = str(error).strip().partition("\n")[0]
        error = error.__cause__ or error.__context__
    return found


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


def _await(host: str, port: int, seconds: int) -> None:
    """Return when process 0 listens; ConfigError. JAX's own wait ends by aborting the process."""
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, port), timeout=max(seconds, 1)).close()
            return
        except OSError as error:
            if time.monotonic() > end:
                raise ConfigError(
                    f"--distributed: no answer from {host}:{port} for {seconds} s "
                    f"({error.strerror or error}): is the process with ID 0 running there, and "
                    "may this machine reach it? REFERENCE_TRAINER_CONNECT_SECONDS waits longer"
                ) from error
        time.sleep(0.2)


def _unrecognised(error: Exception) -> str:
    if "KUBERNETES_SERVICE_HOST" in os.environ and not importlib.util.find_spec("kubernetes"):
        return "in Kubernetes it needs the package `kubernetes`: pip install 'jax[k8s]'"
    return str(error)


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
