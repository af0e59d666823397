"""Flags of XLA under which a program compiles in less than half the time, and runs more slowly.

For tests that look at results, messages and counts, never at the speed or memory of a program.
"""

from __future__ import annotations

from typing import Any

# No optimisation by LLVM. Programs of other releases inherit them: XLA ends a process that is given
# a flag it does not know.
CHEAP = "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"

# What a user has, as options of one compile: for two programs that must agree bit by bit.
DEFAULT: dict[str, Any] = {
    "xla_backend_optimization_level": 3,
    "xla_llvm_disable_expensive_passes": False,
}
