"""Functions of JAX that have no slope: their derivative is zero, or they give no real numbers."""

from __future__ import annotations

LIBRARIES: set[str] = set()

_STEPS = "round floor ceil rint trunc sign signbit heaviside digitize searchsorted count_nonzero"
_PLACES = "argmax argmin argsort argpartition nanargmax nanargmin flatnonzero"
_TRUTHS = (
    "isnan isinf isfinite isclose allclose array_equal any all logical_and logical_or logical_not"
)
_COMPARISONS = "equal not_equal less greater less_equal greater_equal"
# By their last words, below `jax`: what depends on the argument, but has no gradient.
STEPS = frozenset(f"{_STEPS} {_PLACES} {_TRUTHS} {_COMPARISONS} stop_gradient one_hot".split())
_ENDS, _ZERO = (-1, 1), (0,)
# Where a derivative is infinite, and NaN behind what clamps the operand to exactly that (measured).
INFINITE_SLOPES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(["sqrt", "log", "log2", "log10", "rsqrt", "power", "cbrt"], _ZERO),
    **dict.fromkeys(["arccos", "acos", "arcsin", "asin", "arctanh", "atanh"], _ENDS),
    **dict.fromkeys(["arccosh", "acosh"], (1,)),
    "log1p": (-1,),
    "logit": (0, 1),
}
# What draws whole numbers or truth values.
DRAWS = frozenset(
    f"jax.random.{name}"
    for name in ("categorical", "bernoulli", "binomial", "geometric", "multinomial", "poisson")
)
