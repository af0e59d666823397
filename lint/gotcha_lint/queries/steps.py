"""Loops that train: the state goes from turn to turn through one compiled call."""

from __future__ import annotations

import math

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Bind, Body, Call, Loop
from gotcha_lint.analysis.syntax import dotted, source_of, walk
from gotcha_lint.queries.reads import is_clock, targets_of
from gotcha_lint.queries.seldom import loops_often

_SELDOM = (
    "epoch",
    "chunk",
    "round",
    "episode",
    "generation",
    "phase",
    "window",
    "iteration",
    "multi",
)

_FEW = 20  # turns of a demo that shows each of them
_EVALUATES = frozenset({"eval", "evaluate", "evaluation", "valid", "validate", "validation"})
_RESULTS = ("loss", "grad", "metric")
_UPDATES = frozenset({"grad", "value_and_grad", "apply_updates", "apply_gradients"})
_IN_PLACE = frozenset({"nnx.jit", "nnx.pmap"})


def training_loop(body: Body, call: Call) -> Loop | None:
    """The loop that carries the state of this call from turn to turn."""
    if not call.at.loops:
        return None
    loop = call.at.loops[-1]
    carries = _carries(body, call, loop) and _trains(body, call)
    if loop.kind == "comprehension" or not carries or _seldom(loop, call):
        return None
    if loop not in loops_often(call) or _is_demo(body, call) or _evaluates(call):
        return None
    skips = any(isinstance(node, cst.Continue) for node in walk(loop.node))
    timed = any(is_clock(body, c.node) for c in body.of(Call) if loop in c.at.loops)
    return None if skips or timed else loop


def _carries(body: Body, call: Call, loop: Loop) -> bool:
    """Its result is what it is given next, or it stores it in a module that outlives the turn."""
    given = [{n.value for n in walk(a.value) if isinstance(n, cst.Name)} for a in call.node.args]
    if in_place(call):
        bound = {bind.name for bind in body.of(Bind) if loop in bind.at.loops} | loop.names
        return bool(given and given[0]) and given[0].isdisjoint(bound)
    return any(targets_of(body, call) & names for names in given)


def in_place(call: Call) -> bool:
    """The modules that it is given are changed."""
    return any(via.name in _IN_PLACE for via in call.callee.via)


def _trains(body: Body, call: Call) -> bool:
    """By the name of what it returns, or by what the compiled function does in this file.

    A loop that acts in an environment, generates, or exports has to read each result.
    """
    path = body.model.path
    inside = [body.model.functions[n] for where, n in call.callee.targets if where == path]
    if any(map(_updates, inside)):
        return True
    if in_place(call):
        return not inside and "train" in source_of(call.node.func)
    words = " ".join(targets_of(body, call)).lower()
    return any(word in words for word in _RESULTS)


def _updates(function: Function) -> bool:
    names = {node.value for node in walk(function.node) if isinstance(node, cst.Name)}
    return not names.isdisjoint(_UPDATES)


def _is_demo(body: Body, call: Call) -> bool:
    """A few turns in all: `for i in range(10)`."""
    turns = [loop.over.literal for loop in call.at.loops if loop.over.of == "range"]
    numbers = [turn for turn in turns if isinstance(turn, int)]
    known = len(numbers) == len(call.at.loops)
    return not body.hot and known and math.prod(numbers) <= _FEW


def _evaluates(call: Call) -> bool:
    """By its name, as a loop of `eval_step` that hands a key from turn to turn."""
    words = (dotted(call.node.func) or "").lower().replace(".", "_").split("_")
    return not _EVALUATES.isdisjoint(words)


def _seldom(loop: Loop, call: Call) -> bool:
    words = " ".join((*loop.names, source_of(call.node.func))).lower()
    return any(word in words for word in _SELDOM)
