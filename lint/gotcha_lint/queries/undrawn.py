"""Keys that nobody draws from: dropout's, handed to a model that does not train."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.flags import FLAGS, TRAIN
from gotcha_lint.queries.calls import plain_calls
from gotcha_lint.queries.modes import train_flag
from gotcha_lint.queries.stale import names_read


def only_dropout_while_evaluating(call: Call) -> bool:
    """What the call gives ends only in `apply(..., rngs={"dropout": key})` of no training.

    Nothing is differentiated there, and no flag says that the model trains.
    """
    body = call.body
    if body.trace is None or not body.trace.roles.isdisjoint(GRADS) or _trains_by_default(body):
        return False
    keys = [key for each in plain_calls(body) if _evaluates(each) for key in _dropout_keys(each)]
    if any(part is call.node for key in keys for part in walk(key)):
        return True
    name = _bound_to(call)
    if not name or name in body.function.shared:
        return False
    given = {id(part) for key in keys for part in walk(key)}
    uses = [use for use in names_read(body.function.node) if use.value == name]
    return bool(uses) and all(id(use) in given for use in uses)


def _dropout_keys(call: Call) -> list[cst.BaseExpression]:
    """`key` of `rngs={"dropout": key}`; nothing where the model is given other keys too."""
    rngs = call.arg_node(-1, "rngs")
    if not isinstance(rngs, cst.Dict):
        return []
    pairs = [each for each in rngs.elements if isinstance(each, cst.DictElement)]
    named = [pair.value for pair in pairs if literal(pair.key) == "dropout"]
    return named if len(named) == len(rngs.elements) else []


def _evaluates(call: Call) -> bool:
    """No argument may be a flag that says that the model trains."""
    if call.starred or train_flag(call):
        return False
    return not any(_may_train(arg) for arg in call.node.args)


def _may_train(arg: cst.Arg) -> bool:
    name, value = arg.keyword.value if arg.keyword else "", literal(arg.value)
    if name in FLAGS:
        return value is not (not TRAIN[name] if name in TRAIN else True)
    return not name and isinstance(value, bool)


def _trains_by_default(body: Body) -> bool:
    """A model of this file does, and which one is applied here need not be known."""
    return any(
        param.default is not None and literal(param.default) is TRAIN.get(param.name, ...)
        for cls in body.model.classes
        if (method := cls.methods.get("__call__")) is not None
        for param in method.params
    )


def _bound_to(call: Call) -> str:
    for bind in call.body.of(Bind):
        if bind.source is not None and any(part is call.node for part in walk(bind.source)):
            return bind.name
    return ""
