"""Objects that are given one tree of arrays twice: a state whose average starts as its parameters.

Such an object has SHARED for its literal, or PLACED once it was put on devices that were named.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.analysis.values import Kind, Kwargs, Value, holds_tracer, instance, on_device

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

SHARED, PLACED = "shared", "shared, placed"


def made_of(
    flow: Flow, node: cst.CSTNode, cls: Value, args: tuple[Value, ...], kwargs: Kwargs
) -> Value:
    """An object of a class of the project."""
    every = (*args, *kwargs.values())
    shared = SHARED if _shares(flow, node, args, kwargs) else None
    tracer = any(map(holds_tracer, every))
    return instance(cls.of, cls=cls.cls, tracer=tracer, literal=shared)


def _shares(flow: Flow, node: cst.CSTNode, args: tuple[Value, ...], kwargs: Kwargs) -> bool:
    """Two arguments are names of the same arrays."""
    if flow.body.trace is not None or not isinstance(node, cst.Call):
        return False  # a compiled function gives each of its results a buffer of its own
    if len(args) + len(kwargs) != len(node.args):
        return False
    values = [*args, *kwargs.values()]
    named = [(dotted(arg.value), value) for arg, value in zip(node.args, values, strict=True)]
    for (name, value), (other_name, other) in combinations(named, 2):
        if not name or not other_name:
            continue
        if name == other_name and (_arrays(value) or _unknown_params(name, value)):
            return True
        if value is other and _arrays(value) and _aliased(flow.function.node, {name, other_name}):
            return True
    return False


def _unknown_params(name: str, value: Value) -> bool:
    return value.kind is Kind.UNKNOWN and "params" in name.rpartition(".")[2]


def _aliased(function: cst.CSTNode, names: set[str]) -> bool:
    """`average = params`, `average = params = init(key)`."""
    for node in walk(function, into_functions=False):
        if isinstance(node, cst.Assign):
            said = {dotted(target.target) for target in node.targets} | {dotted(node.value)}
            if names <= said:
                return True
    return False


def _arrays(value: Value) -> bool:
    return on_device(value) and value.kind is not Kind.KEY


def replaced(node: cst.CSTNode, base: Value, kwargs: Kwargs) -> Value:
    """`state.replace(...)`, where a field may be given the arrays of another."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        owner = dotted(node.func.value)
        for arg in node.args:
            head, _, field = (dotted(arg.value) or "").rpartition(".")
            if arg.keyword is not None and head and head == owner and field not in kwargs:
                value = kwargs[arg.keyword.value]
                if _arrays(value) or _unknown_params(field, value):
                    return base._replace(literal=SHARED)
    return base._replace(literal=None) if base.literal in (SHARED, PLACED) else base


def placed(name: str, value: Value, given: int) -> Value:
    """After `jax.device_put`, which copies nothing to where the arrays are; others copy all."""
    if value.literal not in (SHARED, PLACED):
        return value
    if name != "jax.device_put":
        return value._replace(literal=None)
    return value if given == 1 else value._replace(literal=PLACED)
