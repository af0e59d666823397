"""What is known of a tree of arrays after it was put, taken apart, filtered or updated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.known import TRAIN_STATE
from gotcha_lint.analysis.syntax import dotted
from gotcha_lint.analysis.values import (
    STATIC,
    UNKNOWN,
    ClassId,
    Kind,
    Kwargs,
    Value,
    all_arrays,
)

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

PUT = "jax.device_put"


def of_tree(head: str, name: str, first: Value, tracer: bool) -> Value:
    """The result of a function that is given a tree."""
    match head:
        case "device-same":
            return put(name, first)
        case "arrays-of":  # nothing else is left of a module
            return first._replace(literal="arrays") if first.kind is Kind.OBJECT else first
        case "unreplicated":  # only trees on devices are replicated
            return Value(Kind.TREE, first.tracer) if first.kind is Kind.UNKNOWN else first
        case "state-dict":
            tree = first.kind is Kind.OBJECT or (first.kind is Kind.UNKNOWN and first.param != "")
            return Value(Kind.TREE, first.tracer) if tree else first
        case "updated":
            return first if first.kind is Kind.OBJECT else Value(Kind.TREE, tracer)
    leaf = Value(Kind.ARRAY, first.tracer, not _only_arrays(first))
    leaves = Value(Kind.LIST, of="list", items=(leaf,))
    return leaves if head == "leaves" else Value(Kind.TUPLE, items=(leaves, STATIC))


def put(name: str, first: Value) -> Value:
    """On devices; what a function was given to put there, its caller knows."""
    if first.kind in (Kind.KEY, Kind.TREE, Kind.OBJECT):
        made = PUT if first.param and name == PUT else first.made
        return first._replace(made=made)
    tree = first.kind in (Kind.UNKNOWN, Kind.LIST, Kind.TUPLE, Kind.NAMED)
    own = first.param if first.kind is Kind.UNKNOWN and name == PUT else ""
    made = PUT if own else ""
    return Value(Kind.TREE if tree else Kind.ARRAY, first.tracer, param=own, made=made)


def put_again(given: Value) -> Value:
    """The result of a function that puts its parameter on devices, for what it is given."""
    return put(PUT, given)._replace(param=given.param)


def _only_arrays(value: Value) -> bool:
    """Its leaves are arrays, certainly."""
    filtered = value.kind is Kind.OBJECT and value.literal == "arrays" and not value.maybe
    return value.kind is Kind.TREE or filtered or all_arrays(value)


# What a `TrainState` of Flax was created with: whose `apply`

OWN: ClassId = (TRAIN_STATE, -1)  # Flax's own class


def note_created(flow: Flow, node: cst.CSTNode, cls: ClassId, kwargs: Kwargs) -> None:
    """`State.create(apply_fn=model.apply, ...)`."""
    if "apply_fn" in kwargs:
        model = _whose_apply(flow, node)
        flow.effect(("created", cls, "apply_fn"), Value(maybe=True, self_=model))


def _whose_apply(flow: Flow, node: cst.CSTNode) -> tuple[Value, ...]:
    """The model of `apply_fn=model.apply`; nothing where it is another function."""
    for arg in node.args if isinstance(node, cst.Call) else ():
        if arg.keyword is None or arg.keyword.value != "apply_fn":
            continue
        if isinstance(arg.value, cst.Attribute) and dotted(arg.value) is not None:
            model = flow.eval(arg.value.value)
            if model.kind is Kind.OBJECT and arg.value.attr.value == "apply":
                return (model._replace(param="", ident=0, tracer=False, site=None),)
    return ()


def of_created(flow: Flow, base: Value, name: str, value: Value) -> Value:
    """The attribute of a state, with what is known from where such states are created."""
    if name != "apply_fn" or base.kind is not Kind.OBJECT or value.of:
        return value
    cls = OWN if base.of == TRAIN_STATE else base.cls
    told = UNKNOWN if cls is None else flow.view.get(("created", cls, name)) or UNKNOWN
    return value._replace(self_=told.self_) if value.kind is Kind.UNKNOWN and told.self_ else value
