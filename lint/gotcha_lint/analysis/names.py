"""What a name stands for where it is used: its last value here, or what is known of it outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.closures import held_here
from gotcha_lint.analysis.model import Class, Function, Imported, Scope
from gotcha_lint.analysis.project import Symbol
from gotcha_lint.analysis.values import NONE, UNKNOWN, Kind, Value, defined, named, static

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow


def on_name(flow: Flow, node: cst.Name) -> Value:
    name, state = node.value, flow.state
    if state is not None:
        value = state.env.get(name)
        if value is not None:
            return value
    return _CONSTANTS.get(name) or flow.load(name)


_CONSTANTS = {"True": static("bool", True), "False": static("bool", False), "None": NONE}


def outside(flow: Flow, name: str, first: Scope) -> Value:
    """What a name that this function has not assigned holds in the scopes around it."""
    scope = first.owner(name)
    if scope is not None:
        return _bound(flow, name, scope, scope.bound[name])
    return _starred(flow, name) or named(f"builtins.{name}")


def _starred(flow: Flow, name: str) -> Value | None:
    for star in flow.model.stars:
        symbol = flow.project.starred(star, name, flow.model.path)
        if symbol is not None:
            return of_symbol(flow, symbol)
    return None


def _bound(flow: Flow, name: str, scope: Scope, how: list[Function | Class | str]) -> Value:
    last = how[-1]
    if imported := {str(one) for one in how if isinstance(one, Imported)}:
        symbols = {flow.project.symbol(one, flow.model.path) for one in imported}
        # `np` for numpy here and for jax.numpy there: it depends on when this runs.
        return of_symbol(flow, symbols.pop()) if len(symbols) == 1 else UNKNOWN
    if isinstance(last, Class):
        return Value(Kind.CLASS, of=last.name, cls=(flow.model.path, last.number))
    if isinstance(last, Function) and scope.kind == "class":
        return defined((flow.model.path, last.number))
    plain = all(isinstance(h, Function) for h in how)
    if plain and isinstance(last, Function) and not _decorated(last):
        return defined((flow.model.path, last.number))
    found = _stored(flow, name, scope)
    if found is None and isinstance(last, Function):
        return defined((flow.model.path, last.number))
    return found or UNKNOWN


def _decorated(function: Function) -> bool:
    return isinstance(function.node, cst.FunctionDef) and bool(function.node.decorators)


def _stored(flow: Flow, name: str, scope: Scope) -> Value | None:
    if scope.kind == "module":
        value = flow.view.get(("global", flow.model.path, name))
    else:
        value = flow.view.get(("local", (flow.model.path, scope.function.number), name))
        if (
            value is not None
            and value.kind is Kind.FUNCTION
            and len(value.targets) > 1
            and flow.body.trace is not None
            and scope.function.has_parameter(name)
        ):
            value = held_here(flow, scope.function, value)
    return None if value is None else value._replace(param="")


def of_symbol(flow: Flow, symbol: Symbol) -> Value:
    """The value that a resolved qualified name stands for."""
    match symbol.kind:
        case "external":
            return named(symbol.name)
        case "module":
            return Value(Kind.NAMED, of="", literal=symbol.path)
        case "function":
            return defined((symbol.path, symbol.number))
        case "class":
            return Value(Kind.CLASS, of=symbol.name, cls=(symbol.path, symbol.number))
        case "global" | "decorated":
            found = flow.view.get(("global", symbol.path, symbol.name))
            if found is None and symbol.kind == "decorated":
                return defined((symbol.path, symbol.number))
            return (found or UNKNOWN)._replace(param="", ident=0)
        case "member":
            return flow.view.get(("attr", (symbol.path, symbol.number), symbol.name)) or UNKNOWN
