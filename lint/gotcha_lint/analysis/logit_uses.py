"""Probabilities where logits are expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.sites import Place
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind, Kwargs, Value
from gotcha_lint.facts import Fact

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_EITHER, _CATEGORICAL = frozenset({"softmax", "sigmoid"}), frozenset({"softmax"})


@dataclass(slots=True, eq=False, repr=False)
class LogitUse(Place):
    """Probabilities given to a function that expects logits, maybe through a project's own."""

    value: Value


def given_as_logits(
    flow: Flow, node: cst.CSTNode, fact: Fact, args: tuple[Value, ...], kwargs: Kwargs, name: str
) -> None:
    """A loss of logits, or a draw from them, is given something."""
    assert fact.logits is not None
    value = kwargs.get("logits") or (args[fact.logits] if fact.logits < len(args) else None)
    if value is not None:
        use_logits(flow, node, value, _EITHER if "entropy" in name else _CATEGORICAL)


def use_logits(flow: Flow, node: cst.CSTNode, value: Value, wrong: frozenset[str] | None) -> None:
    if not wrong:
        return
    if value.param:
        if not _chooses(flow):
            flow.effect(("logits", flow.id, value.param), wrong)
    elif value.kind is Kind.ARRAY and not value.maybe and value.of in wrong:
        flow.record(LogitUse, node, value)


def _chooses(flow: Flow) -> bool:
    """The function has an `if`, which may tell probabilities from logits."""
    return any(isinstance(node, cst.If | cst.IfExp) for node in walk(flow.function.node))
