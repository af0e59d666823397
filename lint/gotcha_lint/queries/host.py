"""Code that certainly runs as plain Python: it prints, reads files, or tells the time."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import FileModel
from gotcha_lint.analysis.sites import Body, Call, Place
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.places import is_hot, is_test, long_loops

_HOST_EFFECTS = frozenset({"print", "log", "io", "read", "wait", "time"})
_MAPPED = frozenset({"pmap", "nnx.pmap"})
_JITTED = frozenset({"jit", "nnx.jit"})
_CASTS = frozenset(
    {"builtins.float", "builtins.int", "builtins.input", "builtins.open", "builtins.next"}
)
_DEVICE = frozenset({Kind.ARRAY, Kind.TREE, Kind.UNKNOWN})


def runs_often_on_host(place: Place) -> bool:
    """In a training loop, or a function called by one, that is seen to run as plain Python."""
    body = place.body
    if not body.eager or is_test(body) or (body.function.is_generator and not long_loops(place)):
        return False
    if long_loops(place):
        return is_host(body)
    return is_hot(body) and (is_script(body.model) or is_host(body) or _hot_from_module(body))


def _hot_from_module(body: Body) -> bool:
    """The loop that calls it stands at the top of this file."""
    path, number = body.hot[0][0]
    if path != body.model.path or number < 0:
        return False
    node = body.model.nodes[number]
    loops = [s for s in body.model.tree.body if isinstance(s, cst.For | cst.While)]
    return any(part is node for loop in loops for part in walk(loop))


def is_host(body: Body) -> bool:
    """Not traced, nor to be traced by others: it acts on the world."""
    if not body.eager:
        return False
    if body.function.number == 0 or body.function.name == "main":
        return True
    return any(map(_shows_host, body.of(Call)))


def _shows_host(call: Call) -> bool:
    names = {via.name for via in call.callee.via}
    if names & _MAPPED or (long_loops(call) and names & _JITTED):
        return True
    if call.name in _CASTS:
        return call.name not in ("builtins.float", "builtins.int") or bool(
            call.args and call.args[0].kind in (Kind.ARRAY, Kind.TREE)
        )
    effect = call.body.fact(call).effect
    return effect in _HOST_EFFECTS or (effect == "" and call.name.endswith((".item", ".tolist")))


def is_script(model: FileModel) -> bool:
    """The file asks whether it is the main program."""
    for statement in model.tree.body:
        if isinstance(statement, cst.If):
            names = {n.value for n in walk(statement.test) if isinstance(n, cst.Name)}
            if "__name__" in names:
                return True
    return False
