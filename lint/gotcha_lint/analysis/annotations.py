"""What an annotation promises of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.syntax import dotted, evaluated
from gotcha_lint.analysis.values import (
    ARRAY,
    CALLABLE,
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

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

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
_OBJECTS = frozenset(
    {
        "flax.training.train_state.TrainState",
        "flax.nnx.Rngs",
        "flax.nnx.Optimizer",
        "flax.nnx.Module",
        "jax.sharding.Mesh",
        "numpy.random.Generator",
        "numpy.random.RandomState",
        "optax.GradientTransformation",
        "optax.GradientTransformationExtraArgs",
    }
)


def promised(flow: Flow, node: cst.BaseExpression | None) -> Value:
    """What a parameter or a field with this annotation holds."""
    if node is None:
        return UNKNOWN
    name, optional = _name(node)
    if not name:
        return UNKNOWN
    head, dot, tail = name.partition(".")
    base = flow.load(head)
    value = UNKNOWN
    if base.kind is Kind.NAMED:
        full = flow.facts.canonical(f"{base.of}{dot}{tail}")
        value = _of_name(full, node)
    elif base.kind is Kind.CLASS and not tail:
        value = instance(base.of, cls=base.cls)
    return value._replace(maybe=True) if optional else value


def _name(node: cst.BaseExpression | None) -> tuple[str, bool]:
    """The dotted name in an annotation, and whether None is allowed too."""
    optional = False
    while node is not None:
        if node.__class__ in (cst.Name, cst.Attribute):  # nearly all; a `match` is slow
            return dotted(node) or "", optional
        match node:
            case cst.SimpleString():
                try:
                    node = cst.parse_expression(str(evaluated(node.value)))
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


def _of_name(name: str, node: cst.BaseExpression | None) -> Value:
    """The value that a resolved annotation promises; unknown where it promises little."""
    if name in _ARRAY_TYPES:
        return ARRAY
    if name in _TREES:
        return TREE
    if name in _KEYS:
        return KEY
    if name == "numpy.ndarray":
        return HOST
    if name in _OBJECTS:
        return instance(name.replace("ExtraArgs", ""))
    if name.startswith("builtins."):
        kind = name.removeprefix("builtins.")
        if kind in {"int", "float", "bool", "str", "bytes", "type"}:
            return static(kind)
    if name in {"typing.Callable", "collections.abc.Callable"}:
        return static(CALLABLE)
    if name == "typing.Literal":
        return STATIC
    if isinstance(node, cst.Subscript) and name.startswith("jaxtyping."):
        return ARRAY if name.removeprefix("jaxtyping.") in _ARRAY_SHAPED else UNKNOWN
    return UNKNOWN
