"""Which function a closure holds: each call of its maker gives the closure another one.

A decorator's `inner` is one function for the analysis, but `double = timed(double)` holds `double`
alone. So what a maker returns remembers the functions that this call gave it (in `held`), and
who traces it tells them on: ("closes", inner). Traced inside of its maker, it is so for all calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import UNKNOWN, FunctionId, Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_MADE = ("def", "lambda")


def holding(value: Value, given: Mapping[str, Value]) -> Value:
    """The result of a maker, with the functions that it was given for it."""
    if value.kind in (Kind.TUPLE, Kind.LIST) and value.items:
        return value._replace(items=tuple(holding(item, given) for item in value.items))
    if value.kind is not Kind.FUNCTION or value.made not in _MADE:
        return value
    held = [v.targets for v in given.values() if v.kind is Kind.FUNCTION and v.targets]
    return value._replace(held=frozenset().union(*held)) if held else value


def left_to_callers(flow: Flow, value: Value) -> Value:
    """A result; where it is made of a function that was given, each caller knows of which one."""
    if value.kind is not Kind.FUNCTION or not value.param:
        return value
    every = flow.view.get(("param", flow.id, value.param)) or UNKNOWN
    if (value.via, value.bound, value.bound_names) == (every.via, every.bound, every.bound_names):
        return Value(Kind.FUNCTION, param=value.param, maybe=value.maybe)
    return value._replace(targets=frozenset())


def tell_held(flow: Flow, target: FunctionId, function: Value) -> None:
    """This function is traced here, with what it holds; one that is not known holds what we do."""
    held = function.held
    if not held and flow.project.function(target).outer:
        held = flow.view.get(("closes", flow.id))
    if held:
        flow.effect(("closes", target), held)


def held_here(flow: Flow, maker: Function, value: Value) -> Value:
    """A captured parameter of the maker, of the many functions that its callers gave it."""
    assert flow.body.trace is not None
    path, first = flow.body.trace.chain[0][0] if flow.body.trace.chain else ("", -1)
    if path == flow.model.path and first >= 0:
        start = flow.model.node(first)
        if start is not maker.node and any(part is start for part in walk(maker.node)):
            return value
    told = (flow.view.get(("closes", (flow.model.path, n))) for n in _up_to(flow.function, maker))
    held = frozenset().union(*(each for each in told if each))
    known = value.targets & held
    return value._replace(targets=known) if known else UNKNOWN._replace(maybe=True)


def _up_to(function: Function | None, maker: Function) -> Iterator[int]:
    while function is not None and function is not maker:
        yield function.number
        function = function.parent
