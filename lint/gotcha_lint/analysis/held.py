"""Objects that hold arrays which still have a name of their own: nothing is copied.

After `state = TrainState.create(params=params)` whoever gives `state` away gives `params` away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.syntax import dotted, last_word, target_names, walk
from gotcha_lint.analysis.values import Kind, Value
from gotcha_lint.facts.classes import DATACLASS_DECORATORS

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_STATES = ("flax.training.train_state.TrainState", "flax.struct.PyTreeNode")
_MAKING = frozenset({"__init__", "__post_init__", "__new__", "create"})  # these may copy


def held_in(flow: Flow, name: str, source: cst.Call, value: Value) -> Iterator[tuple[str, str]]:
    """Pairs of names for the same arrays, after `name = source` made the value."""
    if flow.body.trace is not None or not _keeps_its_arguments(flow, source, value):
        return
    for arg in source.args:
        if arg.keyword is not None and _is_tree(flow, arg.value):
            yield f"{name}.{arg.keyword.value}", dotted(arg.value) or ""


def only_name_in(node: cst.BaseExpression) -> str | None:
    """`params` of `{"params": params}` and of `(params,)`: a tree of nothing else."""
    match node:
        case (
            cst.Dict(elements=[cst.DictElement(value=inner)])
            | cst.Tuple(elements=[cst.Element(value=inner)])
            | cst.List(elements=[cst.Element(value=inner)])
        ):
            return dotted(inner)
    return None


def _is_tree(flow: Flow, node: cst.BaseExpression) -> bool:
    """The name of parameters: other entries may be no buffers, or not be taken."""
    value = flow.state.env.get(node.value) if flow.state and isinstance(node, cst.Name) else None
    if value is None or not isinstance(node, cst.Name):
        return False
    if value.kind is Kind.UNKNOWN:
        return _initialised(flow.function.node, node.value)
    return value.kind is Kind.TREE and not value.maybe


def _initialised(function: cst.CSTNode, name: str, depth: int = 2) -> bool:
    """`model.init(...)` gave all that the name ever holds, or what it is a part of."""
    found = [
        node.value
        for node in walk(function, into_functions=False)
        if type(node) is cst.Assign
        and any(one.value == name for target in node.targets for one in target_names(target.target))
    ]
    return bool(found) and all(_from_init(function, source, depth) for source in found)


def _from_init(function: cst.CSTNode, source: cst.BaseExpression, depth: int) -> bool:
    match source:
        case cst.Call(func=cst.Call(func=func, args=[cst.Arg(value=inner), *_])):
            return last_word(func) in ("jit", "pmap") and last_word(inner) == "init"
        case cst.Call(func=func):
            return isinstance(func, cst.Attribute) and func.attr.value == "init"
        case cst.Subscript(value=cst.Name(value=name)) if depth:
            return _initialised(function, name, depth - 1)
        case cst.Subscript(value=cst.Call() as made):
            return _from_init(function, made, depth)
    return False


def _keeps_its_arguments(flow: Flow, call: cst.Call, made: Value) -> bool:
    """A train state or a dataclass, made in the usual way."""
    if made.kind is not Kind.OBJECT or made.maybe:
        return False
    if made.cls is None:
        return made.of in _STATES
    project = flow.project
    if any(project.method(made.cls, name) is not None for name in _MAKING):
        return False
    if last_word(call.func) not in ("create", project.cls(made.cls).name):
        return False
    plain = not project.decorators(made.cls).isdisjoint(DATACLASS_DECORATORS)
    return plain or project.is_a(made.cls, *_STATES)
