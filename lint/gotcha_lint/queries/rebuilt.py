"""Jitted functions that are a new object each time a place is reached: each one compiles again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import libcst as cst

from gotcha_lint.analysis.makers import PARTIALS, SAME_OBJECT
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import last_word, walk
from gotcha_lint.analysis.values import Kind, Value, Via
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.captured import born_here, data_of, site_here, written_out
from gotcha_lint.queries.factories import given_data, maker_of, makes_anew
from gotcha_lint.queries.handed_on import handed_on
from gotcha_lint.queries.jitted import is_own_jit
from gotcha_lint.queries.leaves import called_for_each_leaf, maps_leaves
from gotcha_lint.queries.places import happens_once, is_memoised, long_loops, polls, repeated
from gotcha_lint.queries.sizes import one_size_a_turn
from gotcha_lint.queries.stale import names_read

_FAR = 3  # calls between the loop and the jit: a sweep over whole runs, more often than not
Made = Literal["lambda", "def", "partial", "method", "transform"]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A function that is made and jitted again, and called, at every turn or call."""

    made: Made
    word: str  # jit, pmap, ...
    each: str  # "turn of this loop", "call of `step`", "leaf"
    name: str  # of the function
    data: tuple[str, ...]  # what it captures of the data of one turn
    used: cst.CSTNode  # where it is called
    at: cst.CSTNode  # where it is jitted, or made by a function of another file


def rebuilt(call: Call) -> Rebuilt | None:
    """What is known of a call of `jax.jit` and its kin whose program cannot be used again."""
    body, via = call.body, _boundary(call)
    if (
        via is None
        or not body.eager
        or is_test(body.model.path)
        or is_memoised(body)
        or happens_once(call)
    ):
        return None
    if "init" in body.function.name.lower() and not long_loops(call):
        return None  # it sets a run up, and the loop is one that starts the run again
    each = repeated(call) or ("leaf" if called_for_each_leaf(body) else "")
    if polls(call) or len(body.hot) > _FAR:
        return None
    if call.callee.kind is Kind.FUNCTION and not is_own_jit(call):
        return _from_factory(call, via, each)
    function = call.arg(0, "fun", "f")
    if not each or function is None or function.kind is not Kind.FUNCTION:
        return None
    used, made = _used(call, via), _made(call, function, via)
    if used is None or made is None or one_size_a_turn(used):
        return None
    maker = maker_of(call, function)
    data = given_data(maker) if maker is not None else data_of(call, function, made)
    if data is None:
        return None
    word = via.name.rpartition(".")[2]
    return Rebuilt(made, word, each, _name(call, function), data, used.node, call.node)


def _boundary(call: Call) -> Via | None:
    """The jit that this very call applies."""
    if call.result.kind is not Kind.FUNCTION or call.callee.kind not in (Kind.NAMED, Kind.FUNCTION):
        return None
    via = call.result.via[-1] if call.result.via else None
    if call.name in PARTIALS:
        return None
    return via if via is not None and via.name in BOUNDARIES else None


def _from_factory(call: Call, via: Via, each: str) -> Rebuilt | None:
    """`make_step()` in the loop, where it defines and jits a function, always the same one."""
    if call.decorator or not each or call.callee.via or not makes_anew(call):
        return None
    used, data = _used(call, via), given_data(call)
    if used is None or data is None or one_size_a_turn(used):
        return None
    name = _name(call, call.result)
    made, at = (
        ("partial", _jit_of(call, via)) if call.result.made == "partial" else ("def", call.node)
    )
    return Rebuilt(made, via.name.rpartition(".")[2], each, name, data, used.node, at)


def _jit_of(call: Call, via: Via) -> cst.CSTNode:
    """Where a function of this file jits what it gives back."""
    path, number = via.site
    return (
        call.body.model.node(number) if path == call.body.model.path and number >= 0 else call.node
    )


def _used(call: Call, via: Via) -> Call | None:
    """Where the new function is called, as often as it is made; kept or used longer is fine."""
    loops, found = long_loops(call), None
    for other in call.body.of(Call):
        called = other.args[0] if other.args and maps_leaves(other) else other.callee
        if called.targets == call.result.targets and any(v.site == via.site for v in called.via):
            if long_loops(other) != loops:
                return None
            found = found or other
    return None if handed_on(call, via) else found


def _made(call: Call, function: Value, via: Via) -> Made | None:
    """How the function came to be, if it came to be here; None where it is an old object."""
    if function.made == "partial":
        new = site_here(call, function) and not (via.filtered and _is_tree(call))
        return "partial" if new else None
    if function.via:
        same = function.via[-1].name in SAME_OBJECT
        return "transform" if not same and site_here(call, function) else None
    match function.made:
        case "lambda" | "def":
            new = born_here(call, function) or maker_of(call, function) is not None
            return function.made if new else None
        case "method":
            direct = (
                not call.decorator
                and via.name == "jit"
                and not via.filtered  # `eqx.filter_jit` keeps one program for equal methods
                and isinstance(call.arg_node(0), cst.Attribute)
            )
            return "method" if direct and _dies(call) else None
    return None


def _is_tree(call: Call) -> bool:
    """`filter_jit(Partial(f, x))`: Equinox compares the leaves of functions that are pytrees."""
    function = call.arg_node(0, "fun", "f")
    parts = walk(written_out(call, function)) if function is not None else ()
    return any(last_word(part.func) == "Partial" for part in parts if isinstance(part, cst.Call))


def _dies(call: Call) -> bool:
    """`jit(self.f)(x)`, or `f = jit(self.f)` that no one keeps when the function returns.

    Bound to a name in a loop, the old method would still be alive, and found.
    """
    if any(other.node.func is call.node for other in call.body.of(Call)):
        return True
    binds = [bind for bind in call.body.of(Bind) if bind.source is call.node]
    return bool(binds) and not call.at.loops and _only_called(call.body.function, binds[0].name)


def _only_called(function: Function, name: str) -> bool:
    """All that happens to a local name is that it is called."""
    if name in function.shared or name in function.scope.global_names or not function.outer:
        return False
    called = {id(n.func) for n in walk(function.node) if isinstance(n, cst.Call)}
    return all(id(n) in called for n in names_read(function.node) if n.value == name)


def _name(call: Call, function: Value) -> str:
    if len(function.targets) == 1:
        path, number = next(iter(function.targets))
        if call.body.project is not None:
            return call.body.project.function((path, number)).name
    return "the function"
