"""Dictionaries in which a program keeps its jitted functions, and the keys that it uses."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Store
from gotcha_lint.analysis.standing import Guard, Loop
from gotcha_lint.analysis.syntax import dotted, names_in, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.places import assigned_each_time, long_loops
from gotcha_lint.queries.stale import names_read
from gotcha_lint.rule import text_of

_STEPS = 20  # along assignments


@dataclass(frozen=True, slots=True)
class Kept:
    """A jitted function that is put into a dictionary which outlives the place."""

    store: Store
    cache: str  # as it is written: `self._steps`
    key: cst.BaseExpression


def kept(store: Store) -> Kept | None:
    node, value = store.node, store.value
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1 or not store.body.eager:
        return None
    via = value.via[-1] if value.kind is Kind.FUNCTION and value.via else None
    cache, index = dotted(node.value), node.slice[0].slice
    if via is None or via.name not in BOUNDARIES or cache is None:
        return None
    if cache in assigned_each_time(store) or not isinstance(index, cst.Index):
        return None
    return Kept(store, cache, index.value)


def asked_key(found: Kept) -> cst.BaseExpression | None:
    """`k` of `if k not in cache:` around the store."""
    for guard in reversed(found.store.at.guards):
        key = _asked(guard, found.cache)
        if key is not None:
            return None if _fills_more(found, guard) else key
    return None


def _fills_more(found: Kept, guard: Guard) -> bool:
    """One key stands for many, which are all stored at once."""
    store, key = found.store, _asked(guard, found.cache)
    if any(all(guard.test is not part for part in walk(loop.node)) for loop in store.at.loops):
        return True
    others = (kept(other) for other in store.body.of(Store) if other is not store)
    return key is not None and any(
        other is not None and other.cache == found.cache and text_of(other.key) == text_of(key)
        for other in others
    )


def _asked(guard: Guard, cache: str) -> cst.BaseExpression | None:
    match guard.test:
        case cst.Comparison(
            left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=where)]
        ) if dotted(where) == cache:
            absent = isinstance(operator, cst.NotIn) if guard.when else isinstance(operator, cst.In)
            return left if absent else None
    return None


def is_other_key(found: Kept, asked: cst.BaseExpression) -> bool:
    """What is asked for is surely not what is stored, whatever names stand for them."""
    flowing = Flowing(found.store.body)
    one, other = flowing.resolve(asked), flowing.resolve(found.key)
    if text_of(one) == text_of(other) or text_of(asked) == text_of(found.key):
        return False
    # Where one may be made of the other, they may be equal; a loop in between sets many.
    named = roots(found.store, asked) == roots(found.store, found.key)
    return not (isinstance(one, cst.Name) and isinstance(other, cst.Name) and named)


def missing(found: Kept) -> list[str]:
    """Parameters and turns that the function bakes in, and that its key does not tell apart."""
    body, store = found.store.body, found.store
    path, number = next(iter(store.value.targets), ("", 0))
    if len(store.value.targets) != 1 or path != body.model.path:
        return []
    inner = body.model.functions[number]
    if inner.parent is not body.function:
        return []
    known = roots(store, found.key)
    return [
        name
        for name in sorted(inner.captured)
        if name != inner.name and _is_plain(inner, name)
        if (made_of := roots(store, cst.Name(name))) and not made_of <= known
    ]


def roots(store: Store, node: cst.CSTNode) -> frozenset[str]:
    """The parameters and loop variables that a value is made of."""
    body = store.body
    loops = long_loops(store)
    starts = _turned(loops[-1]) if loops else frozenset(p.name for p in body.function.params)
    starts -= {body.function.self_name}
    sources, seen, found = Flowing(body).sources, set[str](), set[str]()
    waiting = sorted(names_in(node))
    while waiting and len(seen) < _STEPS:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in starts:
            found.add(name)
        for source in sources.get(name, ()):
            waiting.extend(sorted(names_in(source)))
    return frozenset(found)


def _turned(loop: Loop) -> frozenset[str]:
    """What a loop goes over, and what it counts."""
    counted = (part.target for part in walk(loop.node) if isinstance(part, cst.AugAssign))
    return loop.names | {target.value for target in counted if isinstance(target, cst.Name)}


def _is_plain(inner: Function, name: str) -> bool:
    """Computed with as it is: neither called, nor an object whose attributes are read."""
    objects = {
        id(node.value) if isinstance(node, cst.Attribute) else id(node.func)
        for node in walk(inner.node)
        if isinstance(node, cst.Attribute | cst.Call)
    }
    uses = [read for read in names_read(inner.node) if read.value == name]
    given = {id(arg.value) for node in walk(inner.node) if isinstance(node, cst.Call)
             for arg in node.args}  # fmt: skip
    return bool(uses) and all(id(use) not in objects and id(use) not in given for use in uses)
