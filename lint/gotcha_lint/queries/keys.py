"""Uses of one random key that are meant to be alike, and keys that nobody uses."""

from __future__ import annotations

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Body, Call, Discard
from gotcha_lint.analysis.syntax import walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.random import ALIGNED, SAME_ON_PURPOSE
from gotcha_lint.rule import text_of


def on_purpose(now: Call, before: Call) -> bool:
    """The same reordering of several arrays, the same change of several views, equal targets."""
    if now.name == before.name and now.name in ALIGNED:
        return True
    names = {text_of(call.node.func).rpartition(".")[2].lower() for call in (now, before)}
    if len(names) > 1 or now.name.startswith("jax.random."):
        return False
    if any(word in name for name in names for word in SAME_ON_PURPOSE):
        return True
    return names == {"init"} and now is not before and text_of(now.node) == text_of(before.node)


def own_of_turn(call: Call) -> bool:
    """The key is taken from what the loop iterates over: each turn has another one."""
    names = {name for loop in call.at.loops for name in loop.names}
    keys = [n for n, v in zip(call.node.args, call.args, strict=False) if v.kind is Kind.KEY]
    used = {
        n.value
        for arg in keys or call.node.args
        for n in walk(arg.value)
        if isinstance(n, cst.Name)
    }
    return not names.isdisjoint(used)


def drawn_away(body: Body, call: Call) -> bool:
    """A draw whose result is thrown away, as in a warm-up."""
    return any(site.node is call.node for site in body.of(Discard))


def used_anywhere(function: Function, name: str) -> bool:
    """The name is read in the function, or in one nested in it."""
    if (
        name in function.shared
        or name in function.scope.global_names | function.scope.nonlocal_names
    ):
        return True
    stored = {id(node) for node in _stored(function.node)}
    return any(
        isinstance(node, cst.Name) and node.value == name and id(node) not in stored
        for node in walk(function.node)
    )


def _stored(root: cst.CSTNode) -> list[cst.CSTNode]:
    """The names that are assigned to, and those that are no variables: attributes and keywords."""
    found: list[cst.CSTNode] = []
    for node in walk(root):
        match node:
            case cst.AssignTarget(target=target) | cst.AnnAssign(target=target):
                found.extend(n for n in walk(target) if isinstance(n, cst.Name))
            case cst.Attribute(attr=attr):
                found.append(attr)
            case cst.Arg(keyword=cst.Name() as keyword):
                found.append(keyword)
    return found
