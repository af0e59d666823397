"""Whether code trains or evaluates, and in which mode a model is called."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.methods import ANY_CLASS
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.results import LINEN
from gotcha_lint.analysis.roles import GRADS
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.analysis.values import ClassId, FunctionId
from gotcha_lint.facts.flags import TRAIN

NNX = "flax.nnx.Module"
_EVALUATES = frozenset({"eval", "evaluate", "evaluation", "validate", "validation"})
_PREDICTS = frozenset({"predict", "infer", "inference"})
_TRAINS = frozenset({"train", "training", "dropout", "mc", "init"})
_DEPTH = 4
_SWITCHES = frozenset({"eval", "set_attributes", "view", "inference", *TRAIN})


def is_evaluation(body: Body) -> bool:
    """By its name, by that of a function around it, or by those of all that call it."""
    if body.trace is not None and not body.trace.roles.isdisjoint(GRADS):
        return False  # what is differentiated trains, or tests the gradient
    names = [*_names_around(body.function)]
    if not names or any(map(_trains, names)):
        return False
    if _words(names[0])[0] in _PREDICTS or any(map(_evaluates, names)):
        return True
    # Many calls of a method are not seen: those of an object that is not known.
    return body.function.cls is None and called_by_evaluations(body)


def called_by_evaluations(body: Body) -> bool:
    """All calls that are seen of it come from evaluations, directly or through others."""
    return _from_evaluations(body, body.id, _DEPTH)


def _from_evaluations(body: Body, called: FunctionId, depth: int) -> bool:
    callers = body.usage.callers.get(called, frozenset()) - {called}
    return bool(callers) and all(_is_one(body, fid, depth) for fid in callers)


def _is_one(body: Body, fid: FunctionId, depth: int) -> bool:
    assert body.project is not None
    name = body.project.function(fid).name
    if _evaluates(name):
        return True
    return depth > 0 and not _trains(name) and _from_evaluations(body, fid, depth - 1)


def evaluates_by_name(body: Body) -> bool:
    return _evaluates(body.function.name)


def _evaluates(name: str) -> bool:
    return _words(name)[0] in _EVALUATES and not _trains(name)


def _trains(name: str) -> bool:
    return not _TRAINS.isdisjoint(_words(name))


def _words(name: str) -> list[str]:
    return name.lower().strip("_").split("_")


def _names_around(function: Function) -> Iterator[str]:
    """Its own name, and those of the functions that it is defined in."""
    current: Function | None = function
    while current is not None and not isinstance(current.node, cst.Module):
        yield current.name
        current = current.parent


def train_flag(call: Call) -> str:
    """What tells a linen model in this call that it trains: `train=True`, in one way or another."""
    given, found = _given(call)
    if found or given is None or given.isdisjoint({"rngs", "mutable"}):
        return found
    model = _model_call(call)
    flags = call.body.project.function(model).flags if model and call.body.project else ()
    left = sorted(n for n, default in flags if n not in given and TRAIN.get(n) is default)
    return f"the default `{left[0]}={TRAIN[left[0]]}`" if left else ""


def _given(call: Call) -> tuple[set[str] | None, str]:
    """The parameters that are filled, None where that is not known, and the flag among them."""
    model, project = _model_call(call), call.body.project
    params = [p[0] for p in project.function(model).params] if model and project else []
    given: set[str] = set()
    for arg in call.node.args:  # `variables` stands where `self` does
        name = (
            arg.keyword.value if arg.keyword else params.pop(0) if params and not arg.star else ""
        )
        given.add(name)
        if name in TRAIN and literal(arg.value) is TRAIN[name]:
            return given, f"`{name}={TRAIN[name]}`"
    return (None if call.starred or model is None else given), ""


def _model_call(call: Call) -> FunctionId | None:
    """`__call__` of the model whose `apply` this is."""
    project = call.body.project
    if project is None or call.arg_node(-1, "method") is not None:
        return None
    for each in (*call.callee.self_, *([call.base] if call.base is not None else [])):
        if each.cls is not None and project.is_a(each.cls, LINEN):
            return project.method(each.cls, "__call__")
    return None


def only_trains(body: Body, param: str) -> bool:
    """An nnx model that is switched to training, and that nothing switches to evaluation."""
    model, project = body.names.get(param), body.project
    if model is None or model.cls is None or project is None or model.maybe:
        return False
    if not project.is_a(model.cls, NNX) or _switches(body):
        return False
    told = {name for cls, name in body.usage.stored if _is_kin(body, cls, model.cls)}
    anyone = {name for cls, name in body.usage.stored if cls == ANY_CLASS}
    return "train()" in told and {"eval()", "set_attributes()"}.isdisjoint(told | anyone)


def _is_kin(body: Body, one: ClassId, other: ClassId) -> bool:
    if body.project is None or ANY_CLASS in (one, other):
        return False
    return one in body.project.ancestors(other)[0] or other in body.project.ancestors(one)[0]


def _switches(body: Body) -> bool:
    """The function says something of the mode itself."""
    for node in walk(body.function.node):
        if isinstance(node, cst.Attribute) and node.attr.value in _SWITCHES:
            return True
        if isinstance(node, cst.Arg) and node.keyword and node.keyword.value in _SWITCHES:
            return True
    return False
