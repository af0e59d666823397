"""The machine: which devices, where compiled programs are kept, and how many rows fit."""

from __future__ import annotations

import os
from pathlib import Path

import jax

from reference_trainer import metrics, parallel
from reference_trainer.config import Config, ConfigError
from reference_trainer.run import processes
from reference_trainer.train import state, step

SHARE = 0.85  # of a device's memory that a step may ask for
CONTAINER = Path("/sys/fs/cgroup/memory.max")  # bytes, or "max"


def choose(platform: str, distributed: str = "none") -> None:
    """Use this platform or fail ("auto": what JAX finds best), and join other processes.

    ConfigError. Nothing may touch a device before.
    """
    if platform != "auto":
        # gotcha: shows[silent-cpu-fallback] what was asked for and is missing is an error
        jax.config.update("jax_platforms", {"gpu": "cuda"}.get(platform, platform))
    processes.connect(distributed)
    try:
        jax.default_backend()
    except (RuntimeError, AssertionError) as error:  # jax 0.10 asserts where a plugin is missing
        why = str(error).partition("\n")[0] or "no plugin"
        raise ConfigError(
            f"--platform {platform}: JAX finds no such device here ({why}); "
            "pip install 'jax[cuda13]' brings GPU support"
        ) from error


def memory_limit() -> int:
    """Bytes of one device; on a CPU what this process may use, shared by its devices."""
    device = jax.local_devices()[0]
    stats = device.memory_stats() or {}
    if "bytes_limit" in stats:
        return int(stats["bytes_limit"])
    room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    group = CONTAINER.read_text().strip() if CONTAINER.is_file() else "max"
    room = min(room, int(group)) if group.isdigit() else room
    return room // jax.local_device_count()


def fitting_batch(config: Config, steps: int, limit: int | None = None) -> Config:
    """With data.batch=0: as many rows as memory holds; a power of two for each device and part.

    Two small steps are compiled, not run; memory grows linearly with the rows, so that the rest is
    a division. No more rows than `steps`, the time steps of the data, fill. ConfigError where not
    even the smallest batch fits.
    """
    if config.data.batch:
        return config
    unit = jax.device_count() * config.optimizer.accumulate
    few, more = _step_bytes(config, unit), _step_bytes(config, 2 * unit)
    room = SHARE * (limit or memory_limit()) - few
    if room < 0:
        raise ConfigError(
            f"data.batch=0: a step of {unit} rows asks for {few / 2**30:.1f} GiB a device; set "
            "compute.remat=full, compute.loss_chunk or a smaller model"
        )
    units = 1 + int(room // max(more - few, 1))
    units = max(min(units, steps // config.data.length // unit), 1)
    return config.replace(data={"batch": unit * 2 ** (units.bit_length() - 1)})


def _step_bytes(config: Config, rows: int) -> int:
    """Bytes that a step of so many rows asks for on one device."""
    sized, mesh = config.replace(data={"batch": rows}), parallel.device_mesh()
    batch = parallel.abstract_batch(sized, mesh)
    compiled = step.build(sized, mesh).lower(state.abstract(sized, mesh), batch).compile()
    report = metrics.memory(compiled)
    return report["arguments"] + report["temporary"]
