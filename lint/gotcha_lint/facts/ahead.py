"""Facts about functions that are compiled ahead of time: `jax.jit(f).lower(...).compile()`."""

from __future__ import annotations

# What is asked of an executable without running it.
LOOKS = frozenset(
    [
        "args_info",
        "as_text",
        "cost_analysis",
        "donate_argnums",
        "in_avals",
        "in_tree",
        "input_formats",
        "input_layouts",
        "input_shardings",
        "memory_analysis",
        "out_info",
        "out_tree",
        "output_formats",
        "output_layouts",
        "output_shardings",
    ]
)
COMPILER_OPTIONS = 0  # their position in `compile`
DUMP = "dump"  # in the name of each option that makes the compiler write files
