"""What `init` and `update` of an optimizer give, and which functions make one update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gotcha_lint.analysis.values import FRESH, Kind, Kwargs, Value
from gotcha_lint.facts.optax import STATELESS

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def of_optax(
    flow: Flow, base: Value, name: str, args: tuple[Value, ...], kwargs: Kwargs, traced: bool
) -> Value:
    tree = Value(Kind.TREE, traced)
    if name == "init":
        return tree if is_stateless(base) else tree._replace(of=FRESH)
    note_update(flow, kwargs.get("state") or (args[1] if len(args) > 1 else None))
    return Value(Kind.TUPLE, items=(tree, tree), tracer=traced)


def is_stateless(optimizer: Value) -> bool:
    """Plain gradient descent has nothing to lose, unless it is given momentum or a schedule."""
    return isinstance(optimizer.literal, frozenset) and optimizer.literal <= STATELESS


def note_update(flow: Flow, state: Value | None) -> None:
    """Tells that this function makes one update with a state that it is given."""
    if state is not None and state.param and not flow.loops:
        flow.effect(("updated", flow.id, state.param), True)
