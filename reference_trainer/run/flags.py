"""Options of the compiler, in one place; a run prints them.

Wrong: XLA_FLAGS in a shell script that is lost, or options that were copied from another machine:
on one device those that overlap transfers do nothing.
Right: options of the program, from its settings and its devices. They are part of the key under
which the compiled program is kept, so that a changed one is never missed.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import jax

from reference_trainer.config import Config

LARGEST = 10 * 10**9  # bytes of compiled programs that are kept


def compiler_options(config: Config) -> dict[str, bool]:
    """By what a run needs.

    `compute.deterministic`: no atomic sums in scatters and in cuDNN's backward pass, and no kernels
    chosen by how fast they just were. Several GPUs: transfers between them run while others
    compute. CPUs and TPUs need none of it.
    """
    options = {}
    # A CPU's compiler knows the name too, and ignores it.
    if config.compute.deterministic and jax.default_backend() != "tpu":
        options["xla_gpu_deterministic_ops"] = True
    if jax.default_backend() == "gpu" and jax.device_count() > 1:
        options["xla_gpu_enable_latency_hiding_scheduler"] = True
    return options


def keep_programs(folder: str) -> None:
    """Keep compiled programs between runs: set before the first compile, or it is missed.

    By default JAX keeps what took a second or more; here everything above a tenth. The key holds
    the program, its options, the devices and the versions. (gotcha: compile-cache-unused)
    """
    if folder != "none":
        path = Path(folder).expanduser()
        path.mkdir(parents=True, exist_ok=True)
        trimmed(path)
        jax.config.update("jax_compilation_cache_dir", str(path))
        # gotcha: shows[compile-cache-unused] by default what compiles in under a second is not kept
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)


def trimmed(folder: Path) -> int:
    """Delete the programs that were unused for longest until LARGEST is kept; how many went.

    JAX's own limit (`jax_compilation_cache_max_size`) needs another package, and fails in a folder
    that was filled without it. Another run that misses a program compiles it.
    """
    found, room, gone = [], LARGEST, 0
    for file in folder.glob("*-cache"):
        with suppress(FileNotFoundError):  # another run is at it too
            found.append(
                (max((about := file.stat()).st_atime, about.st_mtime), about.st_size, file)
            )
    for _, size, file in sorted(found, reverse=True):
        room -= size
        if room < 0:
            for each in (file, file.with_name(f"{file.name.removesuffix('cache')}atime")):
                each.unlink(missing_ok=True)
            gone += 1
    return gone


def described(config: Config) -> str:
    """One line for people."""
    options = [f"{name}={str(value).lower()}" for name, value in compiler_options(config).items()]
    folder = jax.config.values.get("jax_compilation_cache_dir") or "not kept"
    return f"compiler options: {', '.join(options) or 'none'}; compiled programs: {folder}"
