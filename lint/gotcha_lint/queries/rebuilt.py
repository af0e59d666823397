"""Jitted functions that are a new object each time a place is reached: each one compiles again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import children, walk
from gotcha_lint.analysis.transforms import BOUNDARIES
from gotcha_lint.analysis.values import UNKNOWN, Kind, Value, Via
from gotcha_lint.queries.places import (
    assigned_each_time,
    happens_once,
    is_memoised,
    is_test,
    long_loops,
    repeated,
)

Made = Literal["lambda", "def", "partial", "method", "transform"]
_SAME_OBJECT = frozenset({"jit", "nnx.jit", "checkpoint"})  # found again: jit(jit(f)) of the same f
_PROGRAMS = frozenset({Kind.FUNCTION, Kind.OBJECT, Kind.CLASS, Kind.NAMED})
_DATA = frozenset({Kind.ARRAY, Kind.HOST, Kind.KEY, Kind.TREE})


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A function that is made and jitted anew, and called, at every turn or call."""

    made: Made
    word: str  # jit, pmap, ...
    each: str  # "turn of this loop", "call of `step`"
    name: str  # of the function
    data: tuple[str, ...]  # what it captures of the data of one turn
    used: cst.CSTNode  # where it is called


def rebuilt(call: Call) -> Rebuilt | None:
    """What is known of a call of `jax.jit` and its kin whose program cannot be used again."""
    body, via = call.body, _boundary(call)
    if via is None or not body.eager or is_test(body) or is_memoised(body) or happens_once(call):
        return None
    each = repeated(call)
    function = call.arg(0, "fun", "f")
    if not each or function is None or function.kind is not Kind.FUNCTION:
        return None
    used = _used(call, via)
    made = _made(call, function, via)
    if used is None or made is None:
        return None
    data = _data(call, function, made)
    if data is None:
        return None
    return Rebuilt(made, via.name.rpartition(".")[2], each, _name(call, function), data, used)


def _boundary(call: Call) -> Via | None:
    """The jit that this very call applies."""
    if call.callee.kind is not Kind.NAMED or call.result.kind is not Kind.FUNCTION:
        return None
    via = call.result.via[-1] if call.result.via else None
    return via if via is not None and via.name in BOUNDARIES else None


def _used(call: Call, via: Via) -> cst.CSTNode | None:
    """Where the new function is called, as often as it is made; kept or used longer is fine."""
    loops, found = long_loops(call), None
    for other in call.body.of(Call):
        if other.callee.kind is Kind.FUNCTION and any(v.site == via.site for v in other.callee.via):
            if long_loops(other) != loops:
                return None
            found = found or other.node
    return found


def _made(call: Call, function: Value, via: Via) -> Made | None:
    """How the function came to be, if it came to be here; None where it is an old object."""
    if function.via:
        same = function.via[-1].name in _SAME_OBJECT
        return "transform" if not same and _site_here(call, function) else None
    match function.made:
        case "lambda" | "def":
            return function.made if _born_here(call, function) else None
        case "partial":
            return "partial" if _site_here(call, function) else None
        case "method":
            direct = (
                not call.decorator
                and via.name == "jit"
                and isinstance(call.arg_node(0), cst.Attribute)
            )
            return "method" if direct and _called_at_once(call) else None
    return None


def is_new(call: Call, function: Value) -> bool:
    """A function that is another object each time this call is reached."""
    if function.via or function.made == "partial":
        return _site_here(call, function)
    return function.made in ("lambda", "def") and _born_here(call, function)


def _born_here(call: Call, function: Value) -> bool:
    """The `def` or lambda is inside the loop, or inside the function that is called again."""
    model = call.body.model
    if len(function.targets) != 1:
        return False
    path, number = next(iter(function.targets))
    if path != model.path or function.via:
        return False
    return _is_inside(call, model.functions[number].node)


def _site_here(call: Call, function: Value) -> bool:
    model = call.body.model
    if function.site is None or function.site[0] != model.path or function.site[1] < 0:
        return False
    return _is_inside(call, model.nodes[function.site[1]])


def _is_inside(call: Call, node: cst.CSTNode) -> bool:
    loops = long_loops(call)
    whole = loops[-1].node if loops else call.body.function.node
    return node is not whole and any(part is node for part in walk(whole))


def _called_at_once(call: Call) -> bool:
    """`jit(self.f)(x)`: bound to a name, the old method would still be alive, and found."""
    return any(
        other.node.func is call.node
        for other in call.body.of(Call)
        if isinstance(other.node, cst.Call)
    )


def _data(call: Call, function: Value, made: Made) -> tuple[str, ...] | None:
    """The names of one turn's data that it takes along; None where it takes another function along.

    Around another function, model or configuration each turn, another program is right.
    """
    changing = assigned_each_time(call)
    if _options(call) & changing:
        return None
    if made in ("lambda", "def"):
        return _captured(call, function, changing)
    node = None if call.decorator else call.arg_node(0, "fun", "f")
    if node is None:
        path, number = next(iter(function.targets), ("", 0))
        known = path == call.body.model.path
        return _taken(call, call.body.model.functions[number], changing) if known else None
    names, lambdas = _read(node)
    if made == "method":
        return None if names & changing and long_loops(call) else ()
    found: list[str] = []
    for node in lambdas:
        inner = _taken(call, call.body.model.by_node[id(node)], changing)
        if inner is None:
            return None
        found.extend(inner)
    for name in sorted(names & changing):
        value = call.body.names.get(name, UNKNOWN)
        inner = _captured(call, value, changing) if value.kind is Kind.FUNCTION else None
        if value.kind in (*_DATA, Kind.STATIC):
            inner = (name,)
        if inner is None:
            return None
        found.extend(inner)
    return tuple(found)


def _options(call: Call) -> set[str]:
    """The names in the other arguments of jit: with other shardings another program is right."""
    node = call.node
    if isinstance(node, cst.Decorator):
        node = node.decorator
    rest = node.args[0 if call.decorator else 1 :] if isinstance(node, cst.Call) else ()
    return set().union(
        *(
            _read(arg.value)[0]
            for arg in rest
            if arg.keyword is None or arg.keyword.value not in ("fun", "f")
        )
    )


def _read(node: cst.CSTNode) -> tuple[set[str], list[cst.Lambda]]:
    """The names that an expression reads itself, and the lambdas in it."""
    names: set[str] = set()
    lambdas: list[cst.Lambda] = []
    stack = [node]
    while stack:
        match current := stack.pop():
            case cst.Name(value=name):
                names.add(name)
            case cst.Arg(value=value) | cst.Attribute(value=value):
                stack.append(value)
            case cst.Lambda():
                lambdas.append(current)
            case _:
                stack.extend(children(current))
    return names, lambdas


def _captured(call: Call, function: Value, changing: frozenset[str]) -> tuple[str, ...] | None:
    """What a function defined here captures; None for another function."""
    if function.made not in ("lambda", "def") or function.via or not _born_here(call, function):
        return None
    return _taken(call, call.body.model.functions[next(iter(function.targets))[1]], changing)


def _taken(call: Call, inner: object, changing: frozenset[str]) -> tuple[str, ...] | None:
    """The changing names that a function captures; None if one of them is a function or a model."""
    assert isinstance(inner, Function)
    found: list[str] = []
    for name in inner.captured:
        if name not in changing or name == inner.name:
            continue
        value = call.body.names.get(name, UNKNOWN)
        nested = _captured(call, value, changing - {name}) if value.kind is Kind.FUNCTION else None
        if nested is not None:
            found.extend(nested)
        elif value.kind in _PROGRAMS or _is_called(inner.node, name):
            return None
        else:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _is_called(node: cst.CSTNode, name: str) -> bool:
    """The name is called, or a method of it: it is a function or a model, not data."""
    for part in walk(node):
        if isinstance(part, cst.Call):
            func = part.func
            while isinstance(func, cst.Attribute):
                func = func.value
            if isinstance(func, cst.Name) and func.value == name:
                return True
    return False


def _name(call: Call, function: Value) -> str:
    if len(function.targets) == 1:
        path, number = next(iter(function.targets))
        if call.body.project is not None:
            return call.body.project.function((path, number)).name
    return "the function"
