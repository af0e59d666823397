"""Stores into a dictionary that a function was given, which nothing sees afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Discard, Place, Store
from gotcha_lint.analysis.syntax import literal, parents, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.stale import names_read

_LOOKS = frozenset({"items", "keys", "values", "get"})
# What these give does not hold the dictionary that they were given.
_MAKE_ANEW = ("jax.", "optax.", "flax.core.", "flax.traverse_util.", "builtins.len")
_KEEP = frozenset({"jax.tree_util.Partial"})

Above = dict[int, cst.CSTNode]


def lost_stores(body: Body, param: str) -> Iterator[Place]:
    """`params["w"] = w` and `params.update({...})`, of which no result, read or call can tell."""
    function = body.function
    names = _names_of(body, param)
    if not names or function.is_generator or not names.isdisjoint(function.shared):
        return
    above = parents(function.node)
    order = {id(n): place for place, n in enumerate(walk(function.node, into_functions=False))}
    reads = [_whole(read, above) for read in names_read(function.node)
             if read.value in names and id(read) in order]  # fmt: skip
    stores = {id(store.node): store for store in _stores(body)}
    for store in (stores[id(read)] for read in reads if id(read) in stores):
        end = max(order.get(id(part), 0) for part in walk(store.at.statement))
        again = {id(part) for loop in store.at.loops[:1] for part in walk(loop.node)}
        depth = max(len(_path(store.node)), 1)
        if all(
            order[id(read)] <= end and id(read) not in again and _looks(body, read, above, depth)
            for read in reads
            if id(read) not in stores
            and not _is_alias(read, above, names)
            and not _apart(_path(read), _path(store.node))
        ):
            yield store


def _names_of(body: Body, param: str) -> set[str]:
    """The parameter and its other names, `mine = params`; none where one has another value too."""
    names, binds = {param}, list(body.of(Bind))
    for bind in binds:
        if isinstance(bind.source, cst.Name) and bind.source.value in names:
            names.add(bind.name)
    for bind in binds:
        same = isinstance(bind.source, cst.Name) and bind.source.value in names
        if bind.name == param or (bind.name in names and not same):
            return set()
    return names


def _whole(read: cst.CSTNode, above: Above) -> cst.CSTNode:
    """`params["a"]["b"]` around `params`; the call of `params.update({...})`."""
    node = read
    while isinstance(outer := above.get(id(node)), cst.Subscript):
        node = outer
    match outer:
        case cst.Attribute(attr=cst.Name(value="update")):
            call = above.get(id(outer))
            if isinstance(call, cst.Call) and call.func is outer:
                return call
    return node


def _stores(body: Body) -> Iterator[Place]:
    """Stores under names that are written out: no array and no reference has such."""
    for store in body.of(Store):
        path = _path(store.node)
        if path and isinstance(path[-1], str) and store.base.kind is not Kind.OBJECT:
            yield store
    for discard in body.of(Discard):
        match discard.node:
            case cst.Call(args=[cst.Arg(value=cst.Dict(), keyword=None)]):
                yield discard


def _path(node: cst.CSTNode) -> tuple[object, ...]:
    """`"a", "b"` of `params["a"]["b"]`; None stands for what is not written out."""
    if not isinstance(node, cst.Subscript):
        return ()
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=value))]:
            return (*_path(node.value), literal(value))
    return (*_path(node.value), None)


def _apart(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Two places of which neither is in the other."""
    pairs = zip(one, other, strict=False)
    return any(a is not None and b is not None and a != b for a, b in pairs)


def _is_alias(read: cst.CSTNode, above: Above, names: set[str]) -> bool:
    outer = above.get(id(read))
    return isinstance(outer, cst.Assign) and all(
        isinstance(each.target, cst.Name) and each.target.value in names for each in outer.targets
    )


def _looks(body: Body, read: cst.CSTNode, above: Above, depth: int) -> bool:
    """What reads it does not keep the dictionary that is stored into."""
    match outer := above.get(id(read)):
        case _ if len(_path(read)) >= depth or isinstance(outer, cst.ComparisonTarget):
            return True
        case cst.Attribute(attr=attr):
            return depth == 1 and attr.value in _LOOKS
        case cst.Arg():
            call = body.call_of(above.get(id(outer)))
            return call is not None and _makes_anew(body, call)
    return False


def _makes_anew(body: Body, call: Call) -> bool:
    made = body.call_of(call.node.func)  # `jax.grad(loss)(params)`
    name = call.name or (made.name if made is not None else "")
    known = name.startswith(_MAKE_ANEW) and name not in _KEEP
    return known or call.callee.kind is Kind.FUNCTION
