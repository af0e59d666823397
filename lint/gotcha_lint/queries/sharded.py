"""Gradients inside of shard_map: where they come from, and whether replication is checked."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.queries.gradients import Flowing

_GRADS = frozenset({"grad", "value_and_grad"})
_CASTS = frozenset({"jax.lax.pcast", "jax.lax.pvary"})
_UNCHECKED = frozenset({"check_vma", "check_rep"})


_SUMS = ("pmean", "psum")


def averaged(site: Call) -> tuple[cst.CSTNode | None, str]:
    """What is averaged over devices, and how: also by `tree.map(lambda g: pmean(g), grads)`."""
    if site.name != "jax.tree.map":
        return site.arg_node(0, "x"), site.name.rpartition(".")[2]
    match site.arg_node(0):
        case cst.Lambda(
            params=cst.Parameters(params=[cst.Param(name=cst.Name(value=leaf))]), body=body
        ):
            return site.arg_node(1), _sum_of(body, leaf)
    return None, ""


def _sum_of(node: cst.CSTNode, leaf: str) -> str:
    """`pmean(g)`, `psum(g)`, or the mean that `psum(g) / n` is."""
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Divide()):
            return "pmean" if _sum_of(left, leaf) == "psum" else ""
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=given)), *_]) if given == leaf:
            word = (dotted(func) or "").rpartition(".")[2]
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
    return call is not None and any(via.name in _GRADS for via in call.callee.via)


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


def by_what_was_made_here(body: Body, made: Call) -> bool:
    """Differentiated with respect to a value that this function made."""
    first = made.arg_node(0)
    names = (
        {n.value for n in walk(first) if isinstance(n, cst.Name)} if first is not None else set()
    )
    outside = {p.name for p in body.function.params} | set(body.function.captured)
    return first is not None and not names & outside


def casts(body: Body) -> bool:
    return any(call.name in _CASTS for call in body.of(Call))


def checked(body: Body) -> bool:
    """The shard_map that runs this is in the same file, and nothing switches its check off."""
    assert body.trace is not None
    found = False
    for (path, number), word in body.trace.chain:
        if not word.startswith("shard_map "):
            continue
        if path != body.model.path or number < 0:
            return False
        for node in walk(body.model.nodes[number]):
            if isinstance(node, cst.Arg) and _may_switch_off(node):
                return False
        found = True
    return found


def _may_switch_off(arg: cst.Arg) -> bool:
    """`check_vma=False`, or arguments that cannot be read."""
    if arg.star:
        return True
    named = arg.keyword is not None and arg.keyword.value in _UNCHECKED
    return named and not (isinstance(arg.value, cst.Name) and arg.value.value == "True")
