"""Which functions act on the world, so that they certainly run as plain Python."""

from __future__ import annotations

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.values import Kind

_HOST_EFFECTS = frozenset({"print", "log", "io", "read", "wait", "time"})
_MAPPED = frozenset({"pmap", "nnx.pmap"})
_JITTED = frozenset({"jit", "nnx.jit"})
_CASTS = frozenset(
    {"builtins.float", "builtins.int", "builtins.input", "builtins.open", "builtins.next"}
)


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
