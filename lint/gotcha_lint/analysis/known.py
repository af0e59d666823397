"""Attributes, methods and annotations of values whose kind is known."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis import varying
from gotcha_lint.analysis.syntax import dotted, evaluated
from gotcha_lint.analysis.values import (
    ARRAY,
    HOST,
    KEY,
    STATIC,
    TREE,
    UNKNOWN,
    Kind,
    Value,
    instance,
    static,
)

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
ARRAY_METHODS = frozenset(
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
HOST_CASTS = frozenset(["item", "tolist", "__array__", "tobytes"])
_NUMBERS = frozenset({"int", "float", "bool", "complex"})
_PLAIN = _NUMBERS | {"str", "bytes", "tuple", "list", "range", "slice", "number", "type"}
_ARRAY_TYPES = frozenset(
    [
        "jax.Array",
        "jax.core.Tracer",
        "chex.Array",
        "chex.ArrayDevice",
        "jax.typing.Array",
        "flax.typing.Array",
        "haiku.Array",
        "jaxtyping.Array",
    ]
)
_ARRAY_SHAPED = frozenset(
    [
        "Float",
        "Int",
        "Integer",
        "Bool",
        "Num",
        "Inexact",
        "Shaped",
        "UInt",
        "Complex",
        "BFloat16",
        "Float32",
        "Int32",
        "Real",
    ]
)
_TREES = frozenset(
    [
        "optax.OptState",
        "optax.Params",
        "optax.Updates",
        "flax.core.FrozenDict",
        "chex.ArrayTree",
        "flax.typing.VariableDict",
        "flax.core.scope.VariableDict",
        "haiku.Params",
        "haiku.State",
    ]
)
_KEYS = frozenset(
    ["chex.PRNGKey", "jax.random.PRNGKeyArray", "jax.random.KeyArray", "jaxtyping.PRNGKeyArray"]
)
OBJECT_TYPES = frozenset(
    {
        "flax.training.train_state.TrainState",
        "flax.nnx.Rngs",
        "flax.nnx.Optimizer",
        "flax.nnx.Module",
        "optax.GradientTransformation",
        "optax.GradientTransformationExtraArgs",
    }
)
# Pytrees of arrays although they are objects.
STATE_OBJECTS = frozenset({"flax.training.train_state.TrainState", "flax.nnx.State"})


def from_annotation(name: str, node: cst.BaseExpression | None) -> Value:
    """The value that a resolved annotation promises; unknown where it promises little."""
    if name in _ARRAY_TYPES:
        return ARRAY
    if name in _TREES:
        return TREE
    if name in _KEYS:
        return KEY
    if name == "numpy.ndarray":
        return HOST
    if name in OBJECT_TYPES:
        return instance(name.replace("ExtraArgs", ""))
    if name.startswith("builtins."):
        kind = name.removeprefix("builtins.")
        if kind in {"int", "float", "bool", "str", "bytes", "type"}:
            return static(kind)
    if name in {"typing.Callable", "collections.abc.Callable", "typing.Literal"}:
        return STATIC
    if isinstance(node, cst.Subscript) and name.startswith("jaxtyping."):
        return ARRAY if name.removeprefix("jaxtyping.") in _ARRAY_SHAPED else UNKNOWN
    return UNKNOWN


def annotation_name(node: cst.BaseExpression | None) -> tuple[str, bool]:
    """The dotted name in an annotation, and whether None is allowed too."""
    optional = False
    while node is not None:
        if node.__class__ in (cst.Name, cst.Attribute):  # nearly all; a `match` is slow
            return dotted(node) or "", optional
        match node:
            case cst.SimpleString():
                try:
                    node = cst.parse_expression(str(node.evaluated_value))
                except (cst.ParserSyntaxError, ValueError):
                    return "", optional
            case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=cst.Name(value="None")):
                node, optional = left, True
            case cst.BinaryOperation(
                left=cst.Name(value="None"), operator=cst.BitOr(), right=right
            ):
                node, optional = right, True
            case cst.BinaryOperation():
                return "", optional
            case cst.Subscript(
                value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=inner))]
            ):
                name = dotted(value) or ""
                if name.rpartition(".")[2] != "Optional":
                    return name, optional
                node, optional = inner, True
            case cst.Subscript(value=value):
                node = value
            case _:
                return dotted(node) or "", optional
    return "", optional


@lru_cache(maxsize=65536)
def of_literal(text: str) -> Value:
    """The value of a number or a string as it is written."""
    value = evaluated(text)
    return static(type(value).__name__, value)


def attribute(base: Value, name: str) -> Value | None:
    """An attribute that every value of this kind has; None where it is not known here."""
    kind = base.kind
    if kind is Kind.ARRAY or (kind is Kind.KEY):
        if name in STATIC_ATTRIBUTES:
            return static("tuple" if name == "shape" else "", varying=base.varying)
        if name == "at":
            return instance("jax.at", tracer=base.tracer, maybe=base.maybe)
        if name in _ARRAY_PARTS:
            return Value(Kind.ARRAY, base.tracer, base.maybe)
        return STATIC if name in ARRAY_METHODS else Value(tracer=base.tracer, maybe=True)
    if kind is Kind.HOST:
        if name in STATIC_ATTRIBUTES:
            return static("tuple" if name == "shape" else "", varying=base.varying)
        return HOST
    if kind is Kind.TREE:
        if name in ARRAY_METHODS and name not in _DICT_METHODS:  # then it is a bare array
            return Value(Kind.ARRAY, base.tracer, base.maybe)
        return Value(Kind.UNKNOWN, base.tracer, True)
    if kind is Kind.OBJECT and base.of in STATE_OBJECTS:
        if name in {"params", "opt_state", "batch_stats"}:
            return Value(Kind.TREE, base.tracer, base.maybe)
        if name == "step":
            return Value(Kind.ARRAY, base.tracer, True)
        if name == "tx":
            return instance("optax.GradientTransformation")
        return Value(Kind.UNKNOWN, False, True)
    if kind is Kind.UNKNOWN and base.tracer:
        if name in STATIC_ATTRIBUTES:
            return static("tuple" if name == "shape" else "")
        if name == "at":
            return instance("jax.at", tracer=True, maybe=base.maybe)
        if name in ARRAY_METHODS:
            return Value(Kind.ARRAY, True, base.maybe)
        return Value(Kind.UNKNOWN, True, True)
    return None


def method_result(base: Value, name: str) -> Value | None:
    """What a method of an array, a container or a number gives."""
    kind = base.kind
    leaf = kind is Kind.TREE or (kind is Kind.UNKNOWN and base.tracer)
    if kind is Kind.ARRAY or (leaf and name in ARRAY_METHODS and name not in _DICT_METHODS):
        if name in HOST_CASTS:
            return STATIC
        if name not in ARRAY_METHODS:  # of another library, or of a subclass
            return Value(tracer=base.tracer, maybe=True)
        return Value(Kind.ARRAY, base.tracer, base.maybe, varying=varying.of_reduction(name, base))
    if kind is Kind.HOST:
        mark = varying.of_reduction(name, base)
        return STATIC if name in HOST_CASTS else Value(Kind.HOST, varying=mark)
    if kind is Kind.OBJECT and base.of == "jax.at":
        return Value(Kind.ARRAY, base.tracer, base.maybe)
    if kind is Kind.STATIC and base.of in _PLAIN:
        return static("str" if base.of == "str" else "")
    return None  # of a static model, say: its methods may give arrays


def is_number(value: Value) -> bool:
    return value.kind is Kind.STATIC and value.of in _NUMBERS
