"""Objects of Flax nnx: what is one, which name holds it, and what changes its weights."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.project import Project
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import dotted, walk
from gotcha_lint.analysis.values import FunctionId, Kind, Value

MODULE = "flax.nnx.Module"
OPTIMIZERS = frozenset({"flax.nnx.Optimizer", "flax.nnx.ModelAndOptimizer"})
_GRADIENTS = frozenset({"flax.nnx.grad", "flax.nnx.value_and_grad"})
_UPDATES = frozenset({"update", "apply_gradients"})
_DEPTH = 3


def is_module(project: Project | None, value: Value | None) -> bool:
    """A module of the project's own classes."""
    if value is None or value.kind is not Kind.OBJECT or value.maybe or project is None:
        return False
    return value.of == MODULE or (value.cls is not None and project.is_a(value.cls, MODULE))


def is_optimizer(value: Value | None) -> bool:
    return value is not None and value.kind is Kind.OBJECT and value.of in OPTIMIZERS


def updates_model(call: Call) -> bool:
    """The update of an nnx optimizer; must.

    The object is known to be one, or the call shows it: a model that nnx differentiates in this
    function stands before its gradients. In optax the gradients come first.
    """
    if is_optimizer(call.base):
        return True
    func, first = call.node.func, next(iter(call.node.args), None)
    if not isinstance(func, cst.Attribute) or func.attr.value != "update":
        return False
    # By keywords alone it may be a dictionary's.
    model = None if first is None or first.keyword or first.star else dotted(first.value)
    if model is None or call.arg_node(1, "grads") is None:
        return False
    return any(_differentiates(one, model) for one in call.body.of(Call))


def _differentiates(call: Call, name: str) -> bool:
    """`nnx.grad(loss)(model, x)`."""
    made = call.body.call_of(call.node.func)
    return made is not None and made.name in _GRADIENTS and position_of(call, name) == 0


def position_of(call: Call, name: str) -> int:
    """Which argument of a call a name is, from 0; -1 for none."""
    given = [dotted(arg.value) for arg in call.node.args]
    return given.index(name) if name in given else -1


def changes_weights(call: Call, name: str) -> bool:
    """`optimizer.update(model, grads)`, `nnx.update(model, state)`, `step(model, optimizer, x)`."""
    position = position_of(call, name)
    if position < 0 or call.decorator:
        return False
    if call.name == "flax.nnx.update" or updates_model(call):
        return position == 0 and len(call.node.args) > 1
    targets = call.callee.targets
    return (
        bool(targets)
        and any(map(is_optimizer, (*call.args, *call.kwargs.values())))
        and all(trains(call.body, target) for target in targets)
    )


def trains(body: Body, function: FunctionId, depth: int = _DEPTH) -> bool:
    """The function updates something by an optimizer, itself or through what it calls."""
    if any(fid == function for fid, _ in body.usage.updated):
        return True
    if function[0] == body.model.path and _updates(body.model.functions[function[1]].node):
        return True
    if depth == 0:
        return False
    called = [one for one, callers in body.usage.callers.items() if function in callers]
    return any(trains(body, one, depth - 1) for one in called if one != function)


def _updates(node: cst.CSTNode) -> bool:
    calls = (n.func for n in walk(node) if isinstance(n, cst.Call))
    return any(isinstance(f, cst.Attribute) and f.attr.value in _UPDATES for f in calls)
