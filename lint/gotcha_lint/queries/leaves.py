"""Functions that `jax.tree.map` calls for each leaf, which is a loop without the word."""

from __future__ import annotations

from functools import lru_cache

import libcst as cst

from gotcha_lint.analysis.model import FileModel, Imported
from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.summary import lookup
from gotcha_lint.analysis.syntax import arguments, dotted, last_word, walk
from gotcha_lint.facts import Fact


def called_for_each_leaf(body: Body) -> bool:
    """This lambda or function is what a `jax.tree.map` of the file is given."""
    function = body.function
    if not isinstance(function.node, cst.FunctionDef):
        return any(given is function.node for _, given in _mapped(body))
    for call, given in _mapped(body):
        if isinstance(given, cst.Name) and given.value == function.name:
            if function.cls is None and _is_seen(body, call):
                return True
        elif dotted(given) == f"self.{function.name}" and function.is_method:
            return True
    return False


def maps_leaves(call: Call) -> bool:
    """The call goes through the leaves of a tree, with the function that comes first."""
    fact = call.body.fact(call)
    return fact.calls == 0 and fact.returns == "map"


def _is_seen(body: Body, call: cst.Call) -> bool:
    """The name means this very function, where the call stands."""
    around = [one for one in body.model.functions if any(part is call for part in walk(one.node))]
    inner = max(around, key=lambda one: one.number)
    return lookup(inner.scope, body.function.name) == [body.function]


def _mapped(body: Body) -> list[tuple[cst.Call, cst.BaseExpression]]:
    """The calls of the file that map over leaves, with the function that they are given."""
    return [
        (call, given)
        for call, given in _candidates(body.model)
        if (fact := _fact(body, call)).calls == 0 and fact.returns == "map"
    ]


def _fact(body: Body, call: cst.Call) -> Fact:
    """What is known of the function, by how its name was imported."""
    name = dotted(call.func) or ""
    _, dot, rest = name.partition(".")
    hows = lookup(body.function.scope, name) or []
    if len(hows) != 1 or not isinstance(hows[0], Imported) or body.project is None:
        return Fact()
    facts = body.project.facts
    return facts.get(facts.canonical(f"{hows[0]}{dot}{rest}"))


@lru_cache(maxsize=16)
def _candidates(model: FileModel) -> list[tuple[cst.Call, cst.BaseExpression]]:
    found: list[tuple[cst.Call, cst.BaseExpression]] = []
    for node in walk(model.tree):
        if isinstance(node, cst.Call) and "map" in last_word(node.func):
            positional, keywords, _ = arguments(node)
            given = positional[0] if positional else keywords.get("f")
            if given is not None:
                found.append((node, given.value))
    return found
