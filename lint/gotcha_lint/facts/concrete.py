"""Which arguments must be known while tracing, and what numpy does with a tracer (jax 0.10.2)."""

from __future__ import annotations

_FIRST = (0,)

# Arguments that are sizes: positions and keywords.
SIZES: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "builtins.range": ((0, 1, 2), ()),
    "jax.numpy.arange": ((0, 1, 2), ("start", "stop", "step")),
    "jax.numpy.eye": ((0, 1), ("N", "M")),
    "jax.numpy.tri": ((0, 1), ("N", "M")),
    "jax.numpy.linspace": ((2,), ("num",)),
    "jax.numpy.logspace": ((2,), ("num",)),
    "jax.numpy.geomspace": ((2,), ("num",)),
    "jax.numpy.reshape": ((1,), ("shape",)),
    "jax.numpy.broadcast_to": ((1,), ("shape",)),
    "jax.numpy.tile": ((1,), ("reps",)),
    "jax.numpy.expand_dims": ((1,), ("axis",)),
    "jax.numpy.resize": ((1,), ("new_shape",)),
    "jax.numpy.array_split": ((1,), ("indices_or_sections",)),
    "jax.numpy.split": ((1,), ("indices_or_sections",)),
    "jax.nn.one_hot": ((1,), ("num_classes",)),
    "jax.random.split": ((1,), ("num",)),
    "jax.random.normal": ((1,), ("shape",)),
    "jax.random.uniform": ((1,), ("shape",)),
    "jax.random.randint": ((1,), ("shape",)),
    "jax.random.gumbel": ((1,), ("shape",)),
    "jax.random.truncated_normal": ((3,), ("shape",)),
    "jax.random.bernoulli": ((2,), ("shape",)),
    "jax.random.choice": ((2,), ("shape",)),
    "jax.lax.top_k": ((1,), ("k",)),
    "jax.lax.iota": ((1,), ("size",)),
    "jax.lax.broadcasted_iota": ((1,), ("shape",)),
    "jax.lax.broadcast": ((1,), ("sizes",)),
    "jax.lax.dynamic_slice": ((2,), ("slice_sizes",)),
    "jax.lax.dynamic_slice_in_dim": ((2,), ("slice_size",)),
    "jax.lax.slice": ((1, 2, 3), ("start_indices", "limit_indices", "strides")),
    "jax.lax.slice_in_dim": ((1, 2), ("start_index", "limit_index")),
    "array.reshape": ((0, 1, 2, 3, 4, 5), ("shape",)),
    "numpy.zeros": (_FIRST, ("shape",)),
    "numpy.ones": (_FIRST, ("shape",)),
    "numpy.full": (_FIRST, ("shape",)),
    "numpy.arange": ((0, 1, 2), ()),
    "numpy.eye": ((0, 1), ("N", "M")),
}
for _name in [
    "zeros",
    "ones",
    "empty",
    "full",
    "identity",
    "tri",
    "indices",
    "tril_indices",
    "triu_indices",
]:
    SIZES[f"jax.numpy.{_name}"] = (_FIRST, ("shape",))

# Functions whose result's shape depends on the values, and what makes it known.
NEED_SIZE: dict[str, tuple[str, ...]] = {
    f"jax.numpy.{name}": ("size",)
    for name in [
        "nonzero",
        "flatnonzero",
        "argwhere",
        "unique",
        "unique_values",
        "unique_counts",
        "unique_inverse",
        "unique_all",
        "union1d",
        "intersect1d",
        "setdiff1d",
        "setxor1d",
    ]
}
NEED_SIZE["jax.numpy.bincount"] = ("length",)
NEED_SIZE["jax.numpy.extract"] = ("size",)
NEED_SIZE["array.nonzero"] = ("size",)

# Python's own: they ask the tracer for a number. `complex` too.
CASTS = frozenset({"builtins.float", "builtins.int", "builtins.complex"})
TRUTH = frozenset({"builtins.bool"})
CAST_METHODS = frozenset(
    {"array.item", "array.tolist", "array.tobytes", "array.__float__", "array.__array__"}
)
# Under grad alone these see the number: the tracer knows it.
SEE_THROUGH_GRAD = frozenset({"builtins.int", "builtins.bool", "array.item", "array.tolist"})

# numpy functions that call a method of their argument, or read only its shape: they work.
NUMPY_WORKS = frozenset(
    f"numpy.{name}"
    for name in [
        "all",
        "any",
        "amax",
        "amin",
        "max",
        "min",
        "argmax",
        "argmin",
        "argsort",
        "around",
        "round",
        "round_",
        "cumprod",
        "cumsum",
        "flip",
        "fliplr",
        "flipud",
        "imag",
        "real",
        "isreal",
        "iscomplex",
        "mean",
        "permute_dims",
        "prod",
        "product",
        "squeeze",
        "std",
        "sum",
        "transpose",
        "var",
        "reshape",
        "repeat",
        "swapaxes",
        "moveaxis",
        "rollaxis",
        "split",
        "array_split",
        "shape",
        "ndim",
        "size",
        "iscomplexobj",
        "isrealobj",
        "isscalar",
        "result_type",
        "issubdtype",
        "iterable",
        "dtype",
        "can_cast",
        "promote_types",
        "broadcast_shapes",
    ]
)
# These swallow the tracer's error, and answer False.
NUMPY_ANSWERS_FALSE = frozenset({"numpy.array_equal", "numpy.array_equiv"})
# Called with keywords or on other things than arrays: nothing is known.
