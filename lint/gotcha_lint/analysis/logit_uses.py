"""Probabilities where logits are expected, or where a logarithm is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.roles import pairs
from gotcha_lint.analysis.sites import Place
from gotcha_lint.analysis.syntax import dotted, parents, walk
from gotcha_lint.analysis.values import PART, FunctionId, Kind, Kwargs, Value
from gotcha_lint.facts import Fact
from gotcha_lint.facts.jax import GUARDS

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_LIMITS = frozenset(name.rpartition(".")[2] for name in GUARDS)
_EITHER, _CATEGORICAL = frozenset({"softmax", "sigmoid"}), frozenset({"softmax"})


@dataclass(slots=True, eq=False, repr=False)
class LogitUse(Place):
    """Probabilities given to a function that expects logits, maybe through a project's own."""

    value: Value


@dataclass(slots=True, eq=False, repr=False)
class LogUse(Place):
    """Probabilities of which the logarithm is taken, maybe by a project's own function."""

    value: Value


def given_as_logits(
    flow: Flow, node: cst.CSTNode, fact: Fact, args: tuple[Value, ...], kwargs: Kwargs, name: str
) -> None:
    """A loss of logits, or a draw from them, is given something."""
    assert fact.logits is not None
    value = kwargs.get("logits") or (args[fact.logits] if fact.logits < len(args) else None)
    if value is not None:
        use_logits(flow, node, value, _EITHER if "entropy" in name else _CATEGORICAL)


def use_probabilities(
    flow: Flow,
    node: cst.CSTNode,
    target: FunctionId,
    function: Value,
    args: tuple[Value, ...],
    kwargs: Kwargs,
) -> None:
    """What the parameters of a function do with probabilities is done here."""
    for name, value in pairs(flow, target, function, args, kwargs):
        if value.kind is Kind.ARRAY and (value.of or value.param):
            use_logits(flow, node, value, flow.view.get(("logits", target, name)))
            if flow.view.get(("logged", target, name)):
                use_in_log(flow, node, value)


def use_logits(flow: Flow, node: cst.CSTNode, value: Value, wrong: frozenset[str] | None) -> None:
    if not wrong:
        return
    if value.param:
        if not _chooses(flow):
            flow.effect(("logits", flow.id, value.param), wrong)
    elif value.kind is Kind.ARRAY and not value.maybe and value.of in wrong:
        flow.record(LogitUse, node, value)


def given_to_log(
    flow: Flow, node: cst.CSTNode, fact: Fact, args: tuple[Value, ...], kwargs: Kwargs
) -> None:
    assert fact.log is not None
    value = args[fact.log] if fact.log < len(args) else kwargs.get("x")
    if value is not None and value.kind is Kind.ARRAY:
        use_in_log(flow, node, value)


def use_in_log(flow: Flow, node: cst.CSTNode, value: Value) -> None:
    name = _parameter_of(value)
    if name:
        if not _chooses(flow) and not _limited(flow.at.statement, node):
            flow.effect(("logged", flow.id, name), True)
    elif value.of == "softmax" and not value.maybe:
        flow.record(LogUse, node, value)


def _parameter_of(value: Value) -> str:
    """The parameter that a value is, or is a part of."""
    return value.param or (value.of[1:] if value.of[:1] == PART else "")


def _limited(statement: cst.CSTNode, node: cst.CSTNode) -> bool:
    """What it makes of a 0 is replaced at once, by the look of it: `where(p > 0, log(p), 0)`."""
    above = parents(statement)
    while (outer := above.get(id(node))) is not None:
        if isinstance(outer, cst.Call) and (dotted(outer.func) or "").split(".")[-1] in _LIMITS:
            return True
        node = outer
    return False


def _chooses(flow: Flow) -> bool:
    """The function has an `if`, which may tell probabilities from logits."""
    return any(isinstance(node, cst.If | cst.IfExp) for node in walk(flow.function.node))
