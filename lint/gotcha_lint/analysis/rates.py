"""Step sizes that are surely positive: numbers, what callers give, schedules of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.syntax import last_word, literal, walk
from gotcha_lint.analysis.values import FunctionId, Kwargs, Value
from gotcha_lint.facts import Fact
from gotcha_lint.facts.optax import RATES

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

NEGATIVE = "negative"
POSITIVE = "positive"  # how an optimizer or a schedule came to be
_STARTS = ("rate", "lr_init", "rate_init", "lr_start", "rate_start", "lr_max", "rate_max")
_NAMES = ("step_size", "step_size_fn", "init_value", "value", "weight_decay")


def signed(
    flow: Flow, node: cst.CSTNode, fact: Fact, args: tuple[Value, ...], kwargs: Kwargs, made: Value
) -> Value:
    """What `optax.scale(0.1)` or `linear_schedule(0.1, 0.0, n)` gives, with its sign."""
    assert fact.rate is not None
    value = next((kwargs[name] for name in _NAMES if name in kwargs), None)
    if value is None and fact.rate < len(args):
        value = args[fact.rate]
    if value is None or value.maybe:
        return made
    if fact.returns == "schedule":
        positive = isinstance(node, cst.Call) and _never_negative(node, value)
    else:
        positive = value.made == POSITIVE or _is_positive(flow, value)
        if "-" in _told(flow, value):
            return made._replace(made=NEGATIVE)
    return made._replace(made=POSITIVE) if positive else made


def tell_sign(flow: Flow, target: FunctionId, name: str, number: float) -> None:
    """Tells a function whose parameter is a step size the sign of a number that it is given."""
    if not isinstance(number, bool) and flow.view.get(("rate", target, name)):
        flow.effect(("sign", target, name), frozenset({_sign(number)}))


def is_rate(node: cst.CSTNode | None, words: tuple[str, ...]) -> bool:
    """`lr`, `config.learning_rate`: people write the minus in front of these."""
    name = last_word(node).lower()
    return name.endswith(words) and not name.startswith(("neg", "minus"))


def _is_positive(flow: Flow, value: Value) -> bool:
    if isinstance(value.literal, int | float):
        return not isinstance(value.literal, bool) and _sign(value.literal) == "+"
    if not value.param:
        return False
    flow.effect(("rate", flow.id, value.param), True)
    told = _told(flow, value)
    number = next((literal(p.default) for p in flow.function.params if p.name == value.param), None)
    if isinstance(number, int | float) and not isinstance(number, bool):
        told |= {_sign(number)}
    return "+" in told and "-" not in told


def _told(flow: Flow, value: Value) -> frozenset[str]:
    """The signs of what callers give for this parameter."""
    return flow.view.get(("sign", flow.id, value.param)) or frozenset()


def _sign(number: float) -> str:
    """Of a step size: from 1 upwards it may be a factor."""
    return "-" if number < 0 else "+" if 0 < number < 1 else ""


def _never_negative(node: cst.Call, first: Value) -> bool:
    """A schedule that starts at no negative number and is made without a minus."""
    parts = [part for arg in node.args for part in walk(arg.value)]
    if any(isinstance(part, cst.Minus | cst.Lambda) for part in parts):
        return False
    if isinstance(first.literal, int | float):
        return first.literal >= 0
    start = next(
        (arg for arg in node.args if arg.keyword is None or arg.keyword.value in _NAMES), None
    )
    return start is not None and is_rate(start.value, (*RATES, *_STARTS))
