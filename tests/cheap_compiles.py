"""Flags of XLA under which a program compiles in less than half the time, and runs more slowly.

For tests that look at results, messages and counts, never at the speed or memory of a program.
"""

from __future__ import annotations

# No optimisation by LLVM, and fusions emitted as plain loops: by default each fusion is a module of
# its own that MLIR lowers, which is 40 % of the time to compile a training step.
CHEAP = " ".join(
    (
        "--xla_backend_optimization_level=0",
        "--xla_llvm_disable_expensive_passes=true",
        "--xla_cpu_use_fusion_emitters=false",
    )
)
