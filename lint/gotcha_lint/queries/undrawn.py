"""Keys from which no number is drawn: dropout keys of a model that does not train."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from gotcha_lint.analysis.model import Class
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.flags import FLAGS, TRAIN
from gotcha_lint.queries.modes import train_flag
from gotcha_lint.queries.stale import names_read


def only_dropout_while_evaluating(call: Call) -> bool:
    """What the call gives ends only in `apply(..., rngs={"dropout": key})` of no training.

    Nothing is differentiated there, and no flag says that the model trains.
    """
    body = call.body
    if body.trace is None or not body.trace.roles.isdisjoint(GRADS) or _trains_by_default(body):
        return False
    keys = [key for each in body.plain_calls() if _evaluates(each) for key in _dropout_keys(each)]
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
    return not any(_may_train(arg) for arg in (*call.node.args, *_constructed_with(call)))


def _constructed_with(call: Call) -> Sequence[cst.Arg]:
    """Of `Net(deterministic=False).apply(...)`, or of `net = Net(...)` in the same function."""
    func = call.node.func
    made: cst.CSTNode | None = func.value if isinstance(func, cst.Attribute) else None
    if isinstance(made, cst.Name):
        name = made.value
        made = next((b.source for b in call.body.of(Bind) if b.name == name), None)
    return made.args if isinstance(made, cst.Call) else ()


def _may_train(arg: cst.Arg) -> bool:
    name, value = arg.keyword.value if arg.keyword else "", literal(arg.value)
    if name in FLAGS:
        return value is not (not TRAIN[name] if name in TRAIN else True)
    return not name and isinstance(value, bool)


def _trains_by_default(body: Body) -> bool:
    """A model of this file does, and which one is applied here need not be known."""
    return any(
        default is not None and literal(default) is TRAIN.get(name, ...)
        for cls in body.model.classes
        for name, default in _defaults(cls)
    )


def _defaults(cls: Class) -> Iterator[tuple[str, cst.CSTNode | None]]:
    """Of the fields of a module, and of the parameters of its `__call__`."""
    for node in walk(cls.node, into_functions=False):
        if isinstance(node, cst.AnnAssign) and isinstance(node.target, cst.Name):
            yield node.target.value, node.value
    method = cls.methods.get("__call__")
    yield from ((param.name, param.default) for param in method.params) if method else ()


def _bound_to(call: Call) -> str:
    for bind in call.body.of(Bind):
        if bind.source is not None and any(part is call.node for part in walk(bind.source)):
            return bind.name
    return ""
