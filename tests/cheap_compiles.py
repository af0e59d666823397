"""Flags of XLA under which a program compiles in less than half the time, and runs more slowly.

For tests that look at results, messages and counts, never at the speed or memory of a program.
"""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path
from typing import Any

# No optimisation by LLVM. All releases know these: programs that run on another Python inherit
# them, and XLA ends a process that is given a flag it does not know.
ANYWHERE = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
# What a user has, as options of one compile: for two programs that must agree bit by bit.
DEFAULT: dict[str, Any] = {
    "xla_backend_optimization_level": 3,
    "xla_llvm_disable_expensive_passes": False,
}
CHEAP = ANYWHERE


def _release() -> str:
    try:
        return metadata.version("jaxlib")
    except metadata.PackageNotFoundError:  # the linter is tested without JAX too
        return ""


# The older emitter of fusions writes much less code, and the module stays in one piece: together a
# step of training compiles in a quarter of the time. Gone in 0.11.
if _release().startswith("0.10."):
    CHEAP += " --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
    DEFAULT |= {"xla_cpu_use_fusion_emitters": True, "xla_cpu_parallel_codegen_split_count": 32}

# Where compiled programs are kept between runs, beside pytest's own cache.
PROGRAMS = Path(
    os.environ.get(
        "JAX_COMPILATION_CACHE_DIR", Path(__file__).parents[1] / ".pytest_cache" / "programs"
    )
)

# The environment of programs that share small ones (`jnp.ones`, a `split`) by the hundred: each is
# compiled once. JAX still counts a compile where it reads one from there.
KEPT = {
    "JAX_COMPILATION_CACHE_DIR": str(PROGRAMS),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
    "JAX_PERSISTENT_CACHE_ENABLE_XLA_CACHES": "none",
}
