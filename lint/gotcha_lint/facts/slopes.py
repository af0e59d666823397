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
# Of arrays, as methods.
METHODS = frozenset(["round", "argmax", "argmin", "argsort", "argpartition", "any", "all"])
# What draws whole numbers or truth values.
DRAWS = frozenset(
    f"jax.random.{name}"
    for name in ("categorical", "bernoulli", "binomial", "geometric", "multinomial", "poisson")
)
# What changes the type of numbers: the place of the type, and its names.
CASTS = {
    "array.astype": (0, "dtype"),
    "?.astype": (0, "dtype"),
    "jax.numpy.astype": (1, "dtype"),
    "jax.numpy.array": (1, "dtype"),
    "jax.numpy.asarray": (1, "dtype"),
    "jax.lax.convert_element_type": (1, "new_dtype"),
}
# Types without a gradient, as names of these modules.
_WIDTHS = ("4", "8", "16", "32", "64")
WHOLE = frozenset(["int", "bool", "bool_", *(f"{u}int{n}" for u in ("", "u") for n in _WIDTHS)])
WHOLE_OF = ("builtins", "jax.numpy", "numpy")
