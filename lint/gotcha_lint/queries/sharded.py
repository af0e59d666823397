"""Gradients inside of shard_map: where they are averaged, and where they come from."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, last_word, walk
from gotcha_lint.analysis.values import GRADIENTS, UNKNOWN, Kind, Value

_SUMS = ("pmean", "psum")


def averaged(site: Call) -> tuple[cst.CSTNode | None, Value, str]:
    """What is averaged over devices, and how: also by `tree.map(lambda g: pmean(g), grads)`."""
    if site.name != "jax.tree.map":
        word = site.name.rpartition(".")[2]
        return site.arg_node(0, "x"), site.arg(0, "x") or UNKNOWN, word
    match site.arg_node(0):
        case cst.Lambda(
            params=cst.Parameters(params=[cst.Param(name=cst.Name(value=leaf))]), body=body
        ):
            word = _sum_of(body, leaf)
            return site.arg_node(1), (site.arg(1) or UNKNOWN) if word else UNKNOWN, word
    return None, UNKNOWN, ""


def is_summed(value: Value) -> bool:
    """Gradients that another function took, alone or beside the loss."""
    if value.kind is Kind.TUPLE:
        return any(map(is_summed, value.items))
    return value.kind is Kind.TREE and value.of == GRADIENTS and not value.maybe


def _sum_of(node: cst.CSTNode, leaf: str) -> str:
    """`pmean(g)`, `psum(g)`, or the mean that `psum(g) / n` is."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Divide()):
            return "pmean" if _sum_of(left, leaf) == "psum" else ""
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=given)), *_]) if given == leaf:
            word = last_word(func)
            return word if word in _SUMS else ""
    return ""


def gradient_of(site: Call, node: cst.CSTNode | None) -> Call | None:
    """The call of a gradient function in this body that the argument comes from."""
    flowing = Flowing(site.body)
    if isinstance(node, cst.Tuple):
        parts = (gradient_of(site, element.value) for element in node.elements)
        return next((part for part in parts if part is not None), None)
    if isinstance(node, cst.Name):
        sources = flowing.sources.get(node.value, [])
        calls = [site.body.call_of(source) for source in sources]
        made = next((call for call in calls if _is_gradient(call)), None)
        return made if made is not None and _second_if_value(made, node.value) else None
    call = site.body.call_of(node)
    return call if _is_gradient(call) else None


def _is_gradient(call: Call | None) -> bool:
    return call is not None and any(via.name in GRADS for via in call.callee.via)


def _with_value(call: Call | None) -> bool:
    return call is not None and any(via.name == "value_and_grad" for via in call.callee.via)


def _second_if_value(call: Call, name: str) -> bool:
    """Of `loss, grads = value_and_grad(f)(w)` only the gradients."""
    statement = call.at.statement
    for node in walk(statement):
        if isinstance(node, cst.AssignTarget):
            if isinstance(node.target, cst.Name):
                return node.target.value == name and not _with_value(call)
            if isinstance(node.target, cst.Tuple):
                place = 1 if _with_value(call) else 0
                elements = node.target.elements
                return len(elements) > place and dotted(elements[place].value) == name
    return False
