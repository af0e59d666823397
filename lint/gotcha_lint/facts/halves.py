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
_ADAMS = "adam adamw amsgrad nadam nadamw"
# Optimizers that multiply what they keep by a number, in the type of what they keep (optax 0.2.8):
# the place and the name of the number, and of that type.
KEEPS = {
    "optax.ema": (0, "decay", 2, "accumulator_dtype"),
    "optax.trace": (0, "decay", 2, "accumulator_dtype"),
    "optax.sgd": (1, "momentum", 3, "accumulator_dtype"),
    **{f"optax.{name}": (1, "b1", 5, "mu_dtype") for name in _ADAMS.split()},
    **{f"optax.scale_by_{name}": (0, "b1", 4, "mu_dtype") for name in ("adam", "amsgrad")},
}
# What is computed in the type of its operand (jax 0.10, optax 0.2.8): logarithms of probabilities,
# draws by logits, shares of one, running sums, deviations.
_CROSS = ("softmax_cross_entropy", "softmax_cross_entropy_with_integer_labels")
LOGARITHMS = {"jax.nn.log_softmax", "jax.nn.logsumexp", "jax.scipy.special.logsumexp"} | {
    f"optax.{module}{name}" for module in ("", "losses.") for name in _CROSS
}
DRAWS = frozenset({"jax.random.categorical"})
SHARES = frozenset({"jax.nn.softmax"})
RUNNING_SUMS = frozenset({"jax.numpy.cumsum", "jax.lax.cumsum"})
SUMS = frozenset({"jax.numpy.add", "jax.numpy.subtract", "jax.lax.add", "jax.lax.sub"})
SPREADS = frozenset({"var", "std"})
