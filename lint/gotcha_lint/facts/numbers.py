"""Facts about the types of what functions of `jax.numpy` make, and which reductions take a mask."""

from __future__ import annotations

_NAMES = (
    *("sum", "mean", "max", "min", "amax", "amin", "prod", "std", "var", "all", "any"),
    *("nansum", "nanmean", "nanmax", "nanmin"),
)
# They take `where=`, which has to be boolean.
REDUCTIONS = frozenset(
    [
        *(f"jax.numpy.{name}" for name in _NAMES),
        *(f"array.{name}" for name in ("sum", "mean", "max", "min", "prod", "std", "var")),
        *(f"jax.nn.{name}" for name in ("softmax", "log_softmax", "logsumexp", "standardize")),
    ]
)
# The place of `dtype` among the arguments of functions that make arrays.
DEFAULTS = {
    "jax.numpy.ones": 1,
    "jax.numpy.zeros": 1,
    "jax.numpy.ones_like": 1,
    "jax.numpy.zeros_like": 1,
    "jax.numpy.full": 2,
    "jax.numpy.array": 1,
    "jax.numpy.asarray": 1,
}
# Types that are called to make an array of them.
NUMBERS = frozenset(
    f"jax.numpy.{name}"
    for name in ("float32", "float16", "bfloat16", "float64", "int8", "int32", "int64", "uint8")
)
# They change the place of elements and not their type.
MOVING = frozenset(
    f"{owner}.{name}"
    for owner in ("jax.numpy", "array")
    for name in [
        *("tril", "triu", "reshape", "broadcast_to", "expand_dims", "squeeze", "transpose"),
        *("swapaxes", "moveaxis", "repeat", "tile", "ravel", "flatten"),
    ]
)
