"""Jitted functions that are a new object each time a place is reached: each one compiles again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import libcst as cst

from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.values import Kind, Value, Via
from gotcha_lint.queries.captured import born_here, data_of, names_and_lambdas, site_here
from gotcha_lint.queries.places import (
    assigned_each_time,
    happens_once,
    is_memoised,
    is_test,
    long_loops,
    may_keep,
    repeated,
)

Made = Literal["lambda", "def", "partial", "method", "transform"]
_SAME_OBJECT = frozenset({"jit", "nnx.jit", "checkpoint"})  # found again: jit(jit(f)) of the same f


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
    if call.callee.kind is Kind.FUNCTION:
        return _from_factory(call, via, each)
    function = call.arg(0, "fun", "f")
    if not each or function is None or function.kind is not Kind.FUNCTION:
        return None
    used = _used(call, via)
    made = _made(call, function, via)
    if used is None or made is None:
        return None
    data = data_of(call, function, made)
    if data is None:
        return None
    return Rebuilt(made, via.name.rpartition(".")[2], each, _name(call, function), data, used)


def _boundary(call: Call) -> Via | None:
    """The jit that this very call applies."""
    if call.result.kind is not Kind.FUNCTION or call.callee.kind not in (Kind.NAMED, Kind.FUNCTION):
        return None
    via = call.result.via[-1] if call.result.via else None
    return via if via is not None and via.name in BOUNDARIES else None


def _from_factory(call: Call, via: Via, each: str) -> Rebuilt | None:
    """`make_step()` in the loop, where it defines and jits a function, always the same one."""
    project, makers, made = call.body.project, call.callee.targets, call.result.targets
    if project is None or len(makers) != 1 or len(made) != 1 or call.decorator or not each:
        return None
    maker, inner = project.function(next(iter(makers))), project.function(next(iter(made)))
    path, number = next(iter(makers))
    if path != call.body.model.path or may_keep(call.body.model.functions[number].node):
        return None
    if maker.decorated or not inner.qualname.startswith(f"{maker.qualname}.<locals>."):
        return None
    read = (
        set().union(*(names_and_lambdas(arg.value)[0] for arg in call.node.args))
        if call.node.args
        else set()
    )
    used = _used(call, via)
    if used is None or read & assigned_each_time(call) or call.callee.via:
        return None
    return Rebuilt("def", via.name.rpartition(".")[2], each, inner.name, (), used)


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
        return "transform" if not same and site_here(call, function) else None
    match function.made:
        case "lambda" | "def":
            return function.made if born_here(call, function) else None
        case "partial":
            return "partial" if site_here(call, function) else None
        case "method":
            direct = (
                not call.decorator
                and via.name == "jit"
                and isinstance(call.arg_node(0), cst.Attribute)
            )
            return "method" if direct and _called_at_once(call) else None
    return None


def _called_at_once(call: Call) -> bool:
    """`jit(self.f)(x)`: bound to a name, the old method would still be alive, and found."""
    return any(
        other.node.func is call.node
        for other in call.body.of(Call)
        if isinstance(other.node, cst.Call)
    )


def _name(call: Call, function: Value) -> str:
    if len(function.targets) == 1:
        path, number = next(iter(function.targets))
        if call.body.project is not None:
            return call.body.project.function((path, number)).name
    return "the function"
