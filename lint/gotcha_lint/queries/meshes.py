"""Meshes for which it makes no difference whether their axes are explicit or automatic."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import last_word, parents, walk
from gotcha_lint.rule import text_of

_TO_HOST = frozenset({"numpy.array", "numpy.asarray", "jax.device_get"})


def meant_explicit(body: Body) -> bool:
    """A file that this one imports, or that imports it, is written for explicit axes."""
    return body.project is not None and body.project.explicit_near(body.model.path)


def is_indifferent(site: Call) -> bool:
    """Arrays on the mesh go to `shard_map` with the very specs that it asks for, or to the host."""
    body = site.body
    binds = [bind for bind in body.of(Bind) if bind.source is site.node]
    if len(binds) != 1 or body.function.number == 0:
        return False
    root, name = body.function.node, binds[0].name
    whole = _read(root)
    asked = whole.asked.get(name, set())
    uses = whole.uses.get(name, ())
    return bool(uses) and all(_is_harmless(body, use, whole.above, asked) for use in uses)


class _Whole(NamedTuple):
    """One function, read once for all of its meshes."""

    above: dict[int, cst.CSTNode]
    uses: dict[str, list[cst.CSTNode]]  # where each name stands, but as what is assigned
    asked: dict[str, set[str]]  # the `in_specs` of each `shard_map`, as written, by its mesh


@lru_cache(maxsize=1)
def _read(root: cst.CSTNode) -> _Whole:
    whole = _Whole(parents(root), {}, {})
    for node in walk(root):
        if isinstance(node, cst.Name):
            if not isinstance(whole.above.get(id(node)), cst.AssignTarget):
                whole.uses.setdefault(node.value, []).append(node)
        elif isinstance(node, cst.Call) and _is_shard_map(node):
            given = {arg.keyword.value: arg.value for arg in node.args if arg.keyword}
            specs = given.get("in_specs")
            if specs is not None and "mesh" in given:
                parts = specs.elements if isinstance(specs, cst.Tuple) else ()
                written = {text_of(specs), *(text_of(part.value) for part in parts)}
                whole.asked.setdefault(text_of(given["mesh"]), set()).update(written)
    return whole


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
