"""Attributes and methods of values whose kind is known."""

from __future__ import annotations

from gotcha_lint.analysis.values import HOST, OPTIMIZER, STATIC, Kind, Value, instance, static

# Known while tracing, whatever the array holds.
STATIC_ATTRIBUTES = frozenset(
    [
        "shape",
        "ndim",
        "dtype",
        "size",
        "itemsize",
        "nbytes",
        "sharding",
        "aval",
        "weak_type",
        "committed",
        "vma",
    ]
)
_ARRAY_METHODS = frozenset(
    [
        "all",
        "any",
        "argmax",
        "argmin",
        "argsort",
        "astype",
        "clip",
        "conj",
        "copy",
        "cumprod",
        "cumsum",
        "diagonal",
        "dot",
        "flatten",
        "max",
        "mean",
        "min",
        "prod",
        "ravel",
        "repeat",
        "reshape",
        "round",
        "sort",
        "squeeze",
        "std",
        "sum",
        "swapaxes",
        "take",
        "trace",
        "transpose",
        "var",
        "view",
        "T",
        "mT",
        "real",
        "imag",
        "at",
        "flat",
        "block_until_ready",
        "addressable_data",
        "conjugate",
        "nonzero",
    ]
)
_DICT_METHODS = frozenset({"copy", "view"})
_ARRAY_PARTS = frozenset({"T", "mT", "real", "imag", "flat"})
_HOST_CASTS = frozenset(["item", "tolist", "__array__", "tobytes"])
_NUMBERS = frozenset({"int", "float", "bool", "complex"})
_PLAIN = _NUMBERS | {"str", "bytes", "tuple", "list", "range", "slice", "number", "type"}
TRAIN_STATE = "flax.training.train_state.TrainState"
RNGS, STREAM = "flax.nnx.Rngs", "flax.nnx.RngStream"
# Pytrees of arrays although they are objects.
STATE_OBJECTS = frozenset({TRAIN_STATE, "flax.nnx.State"})


def attribute(base: Value, name: str) -> Value | None:
    """An attribute that every value of this kind has; None where it is not known here."""
    kind = base.kind
    if kind is Kind.ARRAY or (kind is Kind.KEY):
        if name in STATIC_ATTRIBUTES:
            return static("tuple" if name == "shape" else "")
        if name == "at":
            return instance("jax.at", tracer=base.tracer, maybe=base.maybe)
        if name in _ARRAY_PARTS:
            return Value(Kind.ARRAY, base.tracer, base.maybe)
        return STATIC if name in _ARRAY_METHODS else Value(tracer=base.tracer, maybe=True)
    if kind is Kind.HOST:
        if name in STATIC_ATTRIBUTES:
            return static("tuple" if name == "shape" else "")
        return HOST
    if kind is Kind.TREE:
        if name in _ARRAY_METHODS and name not in _DICT_METHODS:  # then it is a bare array
            return Value(Kind.ARRAY, base.tracer, base.maybe)
        return Value(Kind.UNKNOWN, base.tracer, True)
    if kind is Kind.OBJECT and base.of == RNGS and name not in ("fork", "split"):
        return instance(STREAM, maybe=base.maybe)
    if kind is Kind.OBJECT and base.of in STATE_OBJECTS:
        if name in {"params", "opt_state", "batch_stats"}:
            return Value(Kind.TREE, base.tracer, base.maybe)
        if name == "step":
            return Value(Kind.ARRAY, base.tracer, True)
        if name == "tx":
            parts = base.literal if isinstance(base.literal, frozenset) else None
            return instance(OPTIMIZER, literal=parts)
        return Value(Kind.UNKNOWN, False, True)
    if kind is Kind.UNKNOWN and base.tracer:
        if name in STATIC_ATTRIBUTES:
            return static("tuple" if name == "shape" else "")
        if name == "at":
            return instance("jax.at", tracer=True, maybe=base.maybe)
        if name in _ARRAY_METHODS:
            return Value(Kind.ARRAY, True, base.maybe)
        return Value(Kind.UNKNOWN, True, True)
    return None


def method_result(base: Value, name: str) -> Value | None:
    """What a method of an array, a container or a number gives."""
    kind = base.kind
    leaf = kind is Kind.TREE or (kind is Kind.UNKNOWN and base.tracer)
    if kind is Kind.ARRAY or (leaf and name in _ARRAY_METHODS and name not in _DICT_METHODS):
        if name in _HOST_CASTS:
            return STATIC
        if name not in _ARRAY_METHODS:  # of another library, or of a subclass
            return Value(tracer=base.tracer, maybe=True)
        return Value(Kind.ARRAY, base.tracer, base.maybe)
    if kind is Kind.HOST:
        return STATIC if name in _HOST_CASTS else HOST
    if kind is Kind.OBJECT and base.of == "jax.at":
        return Value(Kind.ARRAY, base.tracer, base.maybe)
    if kind is Kind.STATIC and base.of in _PLAIN:
        return static("str" if base.of == "str" else "")
    return None  # of a static model, say: its methods may give arrays
