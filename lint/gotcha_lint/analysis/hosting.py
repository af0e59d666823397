"""Which functions act on the world, so that they certainly run as plain Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.values import FunctionId, Kind, Site

if TYPE_CHECKING:
    from gotcha_lint.analysis.flow import Flow

_HOST_EFFECTS = frozenset({"print", "log", "io", "read", "wait", "time"})
_MAPPED = frozenset({"pmap", "nnx.pmap"})
_JITTED = frozenset({"jit", "nnx.jit"})
_CASTS = frozenset(
    {"builtins.float", "builtins.int", "builtins.input", "builtins.open", "builtins.next"}
)


def tell_acting(flow: Flow) -> None:
    """At the end of a function that calls others in a loop: does it act on the world itself?"""
    called = (value for key, value in flow.effects.items() if key[0] == "called")
    if any(loop for calls in called for *_, loop, _ in calls) and is_host(flow.body):
        flow.effect(("acts", flow.id), True)


def driven(
    acting: set[FunctionId],
    calls: Mapping[FunctionId, list[Any]],
    callees: Mapping[FunctionId, list[tuple[FunctionId, Site]]],
) -> frozenset[FunctionId]:
    """Called in a loop of a function that acts on the world, or by one that is."""
    found = {
        fid for fid, every in calls.items() if any(c in acting for c, _, loop, _ in every if loop)
    }
    queue = deque(sorted(found))
    while queue:
        below = [fid for fid, _ in callees.get(queue.popleft(), ()) if fid not in found]
        found.update(below)
        queue.extend(below)
    return frozenset(found)


def is_host(body: Body) -> bool:
    """Not traced, nor to be traced by others: it acts on the world."""
    if not body.eager:
        return False
    if body.function.number == 0 or body.function.name == "main":
        return True
    return any(map(_shows_host, body.of(Call)))


def _shows_host(call: Call) -> bool:
    names = {via.name for via in call.callee.via}
    if names & _MAPPED or (_in_long_loop(call) and names & _JITTED):
        return True
    if call.name in _CASTS:
        return call.name not in ("builtins.float", "builtins.int") or bool(
            call.args and call.args[0].kind in (Kind.ARRAY, Kind.TREE)
        )
    effect = call.body.fact(call).effect
    return effect in _HOST_EFFECTS or (effect == "" and call.name.endswith((".item", ".tolist")))


def _in_long_loop(call: Call) -> bool:
    return any(not loop.short for loop in call.at.loops)
