"""Helpers that only compute with their parameters: of what is on the host they make no jax array.

Such a helper (`cdiv`, `flatten`) is called with traced arrays in one place and with sizes or numpy
arrays in another; what it gives depends on the one call, not on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from gotcha_lint.analysis.known import STATIC_ATTRIBUTES
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.syntax import COMPREHENSIONS, children, dotted, literal
from gotcha_lint.analysis.values import Kind, Value

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_NUMBERS, _ARRAYS = "numbers", "arrays"  # what it takes
_PYTHONS = frozenset(
    f"builtins.{name}"
    for name in (
        *("abs", "max", "min", "round", "sum", "pow", "int", "float", "bool"),
        *("tuple", "list", "range", "sorted"),
    )
)
_FIXED = frozenset({Kind.FUNCTION, Kind.STATIC, Kind.NONE})
_LIBRARIES = ("builtins.", "jax.", "numpy.", "math.")  # `jnp.pi`, `np.int32`: no arrays
_NOT_HERE = frozenset(
    [cst.FunctionDef, cst.Lambda, cst.ClassDef, cst.Yield, cst.Await, cst.Global, cst.Nonlocal]
)


def note_computing(flow: Flow) -> None:
    """Tells that a function gives nothing but what it computes from its parameters."""
    node = flow.function.node
    if isinstance(node, cst.Module) or flow.function.cls is not None or _has_state(flow.function):
        return
    takes = _NUMBERS
    for part in _parts(node):
        one = _takes(flow, part)
        if one is None:
            return
        takes = one if one == _ARRAYS else takes
    flow.effect(("computes", flow.id), takes)


def _has_state(function: Function) -> bool:
    """A decorator, or a default that is no number: neither is a parameter."""
    node = function.node
    decorated = isinstance(node, cst.FunctionDef) and bool(node.decorators)
    return decorated or any(
        p.default is not None and literal(p.default) is None and dotted(p.default) != "None"
        for p in function.params
    )


def _parts(root: cst.FunctionDef | cst.Lambda) -> Iterator[cst.CSTNode]:
    """All that runs on the way to the result: not what is raised."""
    stack: list[cst.CSTNode] = [root.body]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, cst.Call):
            stack.extend(arg.value for arg in node.args)
        elif isinstance(node, cst.Attribute):
            stack.extend(() if dotted(node) else (node.value,))
        elif node.__class__ not in (cst.Raise, cst.Annotation):
            stack.extend(children(node))


def _takes(flow: Flow, node: cst.CSTNode) -> str | None:
    """None where it may give an array that no argument was."""
    kind = node.__class__
    if kind in _NOT_HERE or kind in COMPREHENSIONS:
        return None
    if kind is cst.Call:
        return _called(flow, node)  # type: ignore[arg-type]
    if kind is cst.Attribute and node.attr.value in STATIC_ATTRIBUTES:  # type: ignore[attr-defined]
        return _NUMBERS
    if kind is cst.Attribute or (kind is cst.Name and _is_captured(flow, node)):
        value = flow.eval(node)
        known = value.kind is Kind.NAMED and value.of.startswith(_LIBRARIES)
        return _NUMBERS if known or value.kind in _FIXED else None
    return _NUMBERS


def _is_captured(flow: Flow, node: cst.CSTNode) -> bool:
    return dotted(node) in flow.function.captured


def _called(flow: Flow, node: cst.Call) -> str | None:
    call = flow.body.call_of(node)
    if call is None or call.starred:
        return None
    if call.callee.kind is Kind.FUNCTION:
        return _all_take(flow, call.callee)
    fact = flow.facts.get(call.name)
    if fact.returns == "array-or-host":
        return _ARRAYS
    known = call.name in _PYTHONS or fact.returns in ("host", "host-or-static")
    return _NUMBERS if (known or fact.returns.startswith("static")) and not fact.effect else None


def _all_take(flow: Flow, function: Value) -> str | None:
    if function.via or function.bound or function.bound_names or not function.targets:
        return None
    kinds = {flow.view.get(("computes", target)) for target in function.targets}
    return None if None in kinds else _ARRAYS if _ARRAYS in kinds else _NUMBERS


def of_this_call(
    flow: Flow, node: cst.CSTNode, function: Value, given: tuple[Value, ...], value: Value
) -> Value:
    """The result where this call gives nothing from the device, whatever other calls give."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return value
    takes = _all_take(flow, function) if all(map(_on_host, given)) else None
    arrays = any(map(_is_numpy, given))
    if takes is None or (takes == _ARRAYS and not arrays):
        return value
    return _hosted(value, Kind.HOST if arrays else Kind.STATIC)


def by_method(first: Value, inside: bool) -> Value:
    """Of a function that calls its argument's own method: numpy's gives a numpy array."""
    if _is_numpy(first):
        return Value(Kind.HOST)
    unknown = first.kind is Kind.UNKNOWN and not inside
    return Value(Kind.ARRAY, inside, unknown)


def _on_host(value: Value) -> bool:
    if value.kind in (Kind.TUPLE, Kind.LIST) and value.items:
        return all(map(_on_host, value.items))
    return value.kind in (Kind.STATIC, Kind.NONE) or _is_numpy(value)


def _is_numpy(value: Value) -> bool:
    return value.kind is Kind.HOST or value.of == "host-tree"


def _hosted(value: Value, kind: Kind) -> Value:
    if value.items:
        value = value._replace(items=tuple(_hosted(item, kind) for item in value.items))
    return Value(kind) if value.kind is Kind.ARRAY else value
