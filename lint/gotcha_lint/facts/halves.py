"""What makes arrays of half precision."""

from __future__ import annotations

from gotcha_lint.facts.numbers import DEFAULTS

LIBRARIES: set[str] = set()

HALVES = frozenset({"bfloat16", "float16"})
# The place of `dtype` among the arguments.
MAKERS = {**DEFAULTS, "jax.numpy.full_like": 2, "numpy.array": 1, "numpy.asarray": 1}
MAKERS |= {"numpy.full": 2}
# The number in it: its place, and its name.
FILLS = {
    "jax.numpy.array": (0, "object"),
    "jax.numpy.asarray": (0, "a"),
    "jax.numpy.full": (1, "fill_value"),
    "jax.numpy.full_like": (1, "fill_value"),
    "numpy.array": (0, "object"),
    "numpy.asarray": (0, "a"),
    "numpy.full": (1, "fill_value"),
}
