"""Flags of XLA under which a program compiles in less than half the time, and runs more slowly.

For tests that look at results, messages and counts, never at the speed or memory of a program.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

# XLA ends the process where it does not know a flag; this one is gone from jaxlib 0.11.
_HAS_EMITTERS = tuple(map(int, version("jaxlib").split(".")[:2])) < (0, 11)

# No optimisation by LLVM, and fusions emitted as plain loops: by default each fusion is a module of
# its own that MLIR lowers, which is 40 % of the time to compile a training step.
CHEAP = " ".join(
    (
        "--xla_backend_optimization_level=0",
        "--xla_llvm_disable_expensive_passes=true",
        *(["--xla_cpu_use_fusion_emitters=false"] if _HAS_EMITTERS else []),
    )
)

# What a user has, as options of one compile: for two programs that must agree bit by bit.
DEFAULT: dict[str, Any] = {
    "xla_backend_optimization_level": 3,
    "xla_llvm_disable_expensive_passes": False,
} | ({"xla_cpu_use_fusion_emitters": True} if _HAS_EMITTERS else {})
