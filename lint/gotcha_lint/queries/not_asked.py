"""Uses of a random key that come about under options which no caller asks for."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.key_needs import Need, equals
from gotcha_lint.analysis.sites import Body, KeyUse
from gotcha_lint.analysis.syntax import arguments, literal, walk
from gotcha_lint.analysis.unread import is_notebook
from gotcha_lint.queries.stale import names_read


def nobody_asks(site: KeyUse) -> bool:
    """Of a function of a notebook, which no other file calls: `rand=False` in each of its calls."""
    return is_notebook(site.body.model) and all(
        any(_is_never_so(site.body, need) for need in needs) for needs in site.ways
    )


def _is_never_so(body: Body, need: Need) -> bool:
    tree, node = body.model.tree, body.function.node
    if (
        need.owner != body.id
        or body.function.cls is not None
        or not isinstance(node, cst.FunctionDef)
    ):
        return False
    name = node.name.value
    calls = list(_calls(tree, name))
    reads = [each for each in names_read(tree) if each.value == name and each is not node.name]
    if not calls or len(calls) != len(reads):
        return False  # it is handed on, too
    position = [param.name for param in body.function.params].index(need.param)
    return all(_says_otherwise(call, position, need) for call in calls)


def _calls(tree: cst.CSTNode, name: str) -> Iterator[cst.Call]:
    calls = (node for node in walk(tree) if isinstance(node, cst.Call))
    return (call for call in calls if isinstance(call.func, cst.Name) and call.func.value == name)


def _says_otherwise(call: cst.Call, position: int, need: Need) -> bool:
    places, keywords, starred = arguments(call)
    given = places[position] if position < len(places) else keywords.get(need.param)
    if starred or given is None:
        return not starred and not need.by_default
    value = literal(given.value)
    return value is not None and equals(value, need.constant) is not need.holds
