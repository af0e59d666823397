"""Meshes for which it makes no difference whether their axes are explicit or automatic."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import last_word, parents, walk
from gotcha_lint.rule import text_of

_TO_HOST = frozenset({"numpy.array", "numpy.asarray", "jax.device_get"})


def meant_explicit(body: Body) -> bool:
    """A file that this one imports, or that imports it, is written for explicit axes."""
    project = body.project
    near = project.neighbours(body.model.path) if project is not None else ()
    return any(file.explicit for file in near)


def is_indifferent(site: Call) -> bool:
    """Arrays on the mesh go to `shard_map` with the very specs that it asks for, or to the host."""
    body = site.body
    binds = [bind for bind in body.of(Bind) if bind.source is site.node]
    if len(binds) != 1 or body.function.number == 0:
        return False
    root, name = body.function.node, binds[0].name
    above, asked = parents(root), _asked_for(root, name)
    uses = [n for n in _names(root, name) if not isinstance(above.get(id(n)), cst.AssignTarget)]
    return bool(uses) and all(_is_harmless(body, use, above, asked) for use in uses)


def _names(root: cst.CSTNode, name: str) -> Iterator[cst.CSTNode]:
    return (node for node in walk(root) if isinstance(node, cst.Name) and node.value == name)


def _asked_for(root: cst.CSTNode, mesh: str) -> set[str]:
    """The specs in `in_specs` of each `shard_map` over the mesh, as they are written."""
    found: set[str] = set()
    for node in walk(root):
        if isinstance(node, cst.Call) and _is_shard_map(node):
            given = {arg.keyword.value: arg.value for arg in node.args if arg.keyword}
            specs = given.get("in_specs")
            if text_of(given.get("mesh", node)) == mesh and specs is not None:
                parts = specs.elements if isinstance(specs, cst.Tuple) else ()
                found |= {text_of(specs), *(text_of(part.value) for part in parts)}
    return found


def _is_shard_map(call: cst.Call) -> bool:
    """`shard_map(...)`, or `partial(shard_map, ...)`."""
    functions = [call.func, *(arg.value for arg in call.args[:1])]
    return any(last_word(function) == "shard_map" for function in functions)


def _is_harmless(
    body: Body, use: cst.CSTNode, above: dict[int, cst.CSTNode], asked: set[str]
) -> bool:
    call = _call_given(use, above)
    if call is None or _is_shard_map(call):
        return call is not None
    put = _call_given(call, above)
    if put is None or last_word(put.func) != "device_put":
        return False
    if last_word(call.func) != "NamedSharding" or len(call.args) != 2:
        return False
    outer = body.call_of(_call_given(put, above))
    return text_of(call.args[1].value) in asked or (outer is not None and outer.name in _TO_HOST)


def _call_given(node: cst.CSTNode, above: dict[int, cst.CSTNode]) -> cst.Call | None:
    """The call of which the node is an argument."""
    call = above.get(id(above.get(id(node))))
    return call if isinstance(call, cst.Call) and call.func is not node else None
