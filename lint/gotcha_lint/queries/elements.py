"""What a loop goes through, and the names that it binds."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Iterate, Loop
from gotcha_lint.analysis.syntax import target_names, walk
from gotcha_lint.analysis.values import Value

_IN_STEP = frozenset({"builtins.zip", "builtins.enumerate", "builtins.reversed"})


def sources(
    body: Body, site: Iterate
) -> Iterator[tuple[cst.BaseExpression, Value, cst.CSTNode | None]]:
    """What a loop goes through, alone or in step, each with the target of its items."""
    target = _target(site)
    if isinstance(site.node, cst.BaseExpression):
        yield site.node, site.value, target
    call = body.call_of(site.node)
    if call is None or call.name not in _IN_STEP or call.starred:
        return
    parts = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else [target]
    if call.name == "builtins.enumerate":
        parts = parts[1:]
    for arg, value, part in zip(call.node.args, call.args, parts, strict=False):
        yield arg.value, value, part


def _target(site: Iterate) -> cst.CSTNode | None:
    node = site.loop.node
    if isinstance(node, cst.For):
        return node.target
    clauses = (part for part in walk(node) if isinstance(part, cst.CompFor))
    return next((clause.target for clause in clauses if clause.iter is site.node), None)


def bound_in(loop: Loop) -> set[str]:
    """The names that the loop assigns, parts of them too: `state` of `state.x = f(x)`."""
    return {
        name.value
        for part in walk(loop.node)
        if isinstance(part, cst.AssignTarget | cst.AugAssign | cst.NamedExpr)
        for name in (*target_names(part.target), *_heads(part.target))
    }


def _heads(target: cst.CSTNode) -> Iterator[cst.Name]:
    while isinstance(target, cst.Attribute | cst.Subscript):
        target = target.value
    if isinstance(target, cst.Name):
        yield target
