"""What becomes of the auxiliary output of a nested loss function, in the function around it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.syntax import dotted, last_word, walk

_GRADS = ("value_and_grad",)


def dropped_outside(function: Function, name: str, target: cst.CSTNode) -> cst.CSTNode | None:
    """The target that a value returned as auxiliary output gets there, if nobody reads it.

    `return loss, (y, updates)` here, `(loss, (y, _)), grads = grad_fn(params)` there.
    """
    outer, place = function.parent, _returned_at(function, name, target)
    if outer is None or place is None or isinstance(outer.node, cst.Module):
        return None
    found = [_at(aux, place) for aux in _auxiliary_targets(outer, function.name)]
    if len(found) != 1 or not isinstance(found[0], cst.Name):
        return None
    return None if _read_outside(outer, function, found[0]) else found[0]


def _read_outside(outer: Function, function: Function, got: cst.Name) -> bool:
    """The loss function may have a name like it of its own."""
    inside = {id(node) for node in walk(function.node)}
    return got.value != "_" and any(
        isinstance(node, cst.Name) and node.value == got.value and node is not got
        for node in walk(outer.node)
        if id(node) not in inside
    )


def _returned_at(function: Function, name: str, target: cst.CSTNode) -> tuple[int, ...] | None:
    """Where in the auxiliary output the name stands: () for all of it, (1,) for its second."""
    returns = function.returns
    if len(returns) != 1:
        return None
    uses = [
        node
        for node in walk(function.node)
        if isinstance(node, cst.Name) and node.value == name and node is not target
    ]
    match returns[0].value:
        case cst.Tuple(elements=[_, cst.Element(value=aux)]) if len(uses) == 1:
            if aux is uses[0]:
                return ()
            if isinstance(aux, cst.Tuple):
                found = [n for n, e in enumerate(aux.elements) if e.value is uses[0]]
                return (found[0],) if found else None
    return None


def _auxiliary_targets(outer: Function, name: str) -> Iterator[cst.CSTNode]:
    """`aux` of `(loss, aux), grads = value_and_grad(f, has_aux=True)(params)`."""
    makers: set[str] = set()
    for node in walk(outer.node):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=made))], value=value):
                if _differentiates(value, name):
                    makers.add(made)
    for node in walk(outer.node):
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Call):
            func, aux = node.value.func, _auxiliary(node)
            if aux is not None and (_differentiates(func, name) or dotted(func) in makers):
                yield aux


def _auxiliary(node: cst.Assign) -> cst.CSTNode | None:
    """`aux` of `(loss, aux), grads = ...`."""
    match node.targets[0].target:
        case cst.Tuple(elements=[cst.Element(value=cst.Tuple(elements=[_, aux])), _]):
            return aux.value
    return None


def _differentiates(node: cst.CSTNode, name: str) -> bool:
    match node:
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=given)), *_]):
            return given == name and last_word(func) in _GRADS
    return False


def _at(node: cst.CSTNode, place: tuple[int, ...]) -> cst.CSTNode | None:
    for position in place:
        if not isinstance(node, cst.Tuple) or position >= len(node.elements):
            return None
        node = node.elements[position].value
    return node
