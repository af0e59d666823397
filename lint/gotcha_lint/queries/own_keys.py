"""Whose key it is that a loop draws from: the turn's own, or one from around."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import is_none, names_in, walk
from gotcha_lint.analysis.values import Value
from gotcha_lint.facts.random import KEY_MAKERS
from gotcha_lint.queries.places import new_each_turn
from gotcha_lint.queries.small import small_statements


def own_of_turn(call: Call, key: Value) -> bool:
    """The key is taken from what the loop iterates over: each turn has another one."""
    names = {name for loop in call.at.loops for name in loop.names}
    keys = [n for n, v in zip(call.node.args, given(call), strict=False) if v is key]
    used = {
        n.value
        for arg in keys or call.node.args
        for n in walk(arg.value)
        if isinstance(n, cst.Name)
    }
    return not names.isdisjoint(used)


def renewed_or_none(call: Call, key: Value) -> bool:
    """`key = None` before a loop in which `if train:` makes one: a turn has its own, or none."""
    loop, body = call.at.loops[-1], call.body
    changing = new_each_turn(body, loop)
    nodes = [n.value for n, v in zip(call.node.args, given(call), strict=False) if v is key]
    names = {node.value for node in nodes if isinstance(node, cst.Name)}
    binds = [bind for bind in body.of(Bind) if bind.name in names]
    within = [bind for bind in binds if loop in bind.at.loops and bind.at.order < call.at.order]
    fixed = (changing.isdisjoint(names_in(g.test)) for bind in within for g in bind.at.guards)
    others = (bind.source for bind in binds if bind not in within)
    new = bool(within) and all(_is_new(bind, changing) for bind in within)
    return new and all(fixed) and all(map(is_none, others))


def _is_new(bind: Bind, changing: set[str]) -> bool:
    """`rng, key = jax.random.split(rng)`, of something that each turn changes."""
    for small in small_statements(bind.at):
        made = bind.body.call_of(small.value) if isinstance(small, cst.Assign) else None
        if made is not None and made.name in KEY_MAKERS:
            return not changing.isdisjoint(names_in(made.node))
    return False


def from_around(call: Call, key: Value) -> bool:
    """The key is a name of the function or module around, and never bound in this function."""
    captured = call.body.function.captured
    nodes = [n.value for n, v in zip(call.node.args, given(call), strict=False) if v is key]
    return any(isinstance(node, cst.Name) and node.value in captured for node in nodes)


def given(call: Call) -> list[Value | None]:
    """The values of the arguments, one for each of the nodes; None after a starred one."""
    found: list[Value | None] = []
    positional = iter(call.args)
    for arg in call.node.args:
        if arg.keyword is not None:
            found.append(call.kwargs.get(arg.keyword.value))
        else:
            found.append(None if arg.star else next(positional, None))
    return found
