"""Dictionaries in which a program keeps its jitted functions, and the keys that it uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.roles import BOUNDARIES
from gotcha_lint.analysis.sites import Store
from gotcha_lint.analysis.standing import Guard, Loop
from gotcha_lint.analysis.syntax import dotted, names_in, source_of, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.places import assigned_each_time, long_loops
from gotcha_lint.queries.stale import names_read
from gotcha_lint.rule import Example, Report, Rule, text_of


class WrongCacheKey(Rule):
    """Keeps jitted functions in a dictionary, under a key that does not fit.

    ## What happens
    Asked for under one key and stored under another, a function is never found: each call traces
    and compiles again. Under a key that leaves out what the function captures, the first one is
    found for all: it goes on with the numbers of the first call, without an error.

    ## Instead
    One name for the key, with all in it that the function captures. Or no dictionary: a jitted
    function keeps one program for each shape by itself, and takes the numbers as arguments (or
    `static_argnames`, where they are sizes).

    ## Not reported
    Captured functions, models and settings whose attributes are read, which mostly stay the same;
    functions whose key is made elsewhere.

    ## In a run
    The sanitizer's `recompile` tells of the functions that are never found; of those that are
    found by mistake is not reported.
    """

    _roots = frozenset({"jit", "pmap", "shard_map"})
    confirmed_by = (("recompile", "new-function"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def step_for(x):
                    if x.shape not in steps:
                        steps[x.ndim] = jax.jit(lambda v: v * 0.5)  # ! wrong-cache-key
                    return steps[x.ndim]


                x = jnp.ones(3)
                for _ in range(5):
                    x = step_for(x)(x)
            """,
            good="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def step_for(x):
                    if x.shape not in steps:
                        steps[x.shape] = jax.jit(lambda v: v * 0.5)
                    return steps[x.shape]


                x = jnp.ones(3)
                for _ in range(5):
                    x = step_for(x)(x)
            """,
            compiles=4,
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def scaled(x, rate):
                    if x.shape not in steps:
                        steps[x.shape] = jax.jit(lambda v: v * rate)  # ! wrong-cache-key
                    return steps[x.shape](x)


                first = float(scaled(jnp.ones(3), 1.0)[0])
                second = float(scaled(jnp.ones(3), 0.5)[0])
            """,
            good="""
                import jax
                import jax.numpy as jnp

                steps = {}


                def scaled(x, rate):
                    if (x.shape, rate) not in steps:
                        steps[x.shape, rate] = jax.jit(lambda v: v * rate)
                    return steps[x.shape, rate](x)


                first = float(scaled(jnp.ones(3), 1.0)[0])
                second = float(scaled(jnp.ones(3), 0.5)[0])
            """,
            shows="first == second",
        ),
    )

    def check(self, site: Store) -> Iterator[Report]:
        found = _kept(site)
        if found is None or is_test(site.body.model.path):
            return
        asked = _asked_key(found)
        if asked is not None and _is_other_key(found, asked):
            yield Report(
                site.node,
                f"`{source_of(asked, 30)}` is looked for in `{found.cache}`, but "
                f"`{source_of(found.key, 30)}` is stored: what is compiled is never found",
                places=((asked, "looked for here"),),
            )
            return
        for name in _missing(found):
            yield Report(
                site.node,
                f"the jitted function captures `{name}`, which is not in the key "
                f"`{source_of(found.key, 30)}`: the first one is found for every `{name}`",
            )
            return


_STEPS = 20  # along assignments


@dataclass(frozen=True, slots=True)
class _Kept:
    """A jitted function that is put into a dictionary which outlives the place."""

    store: Store
    cache: str  # as it is written: `self._steps`
    key: cst.BaseExpression


def _kept(store: Store) -> _Kept | None:
    node, value = store.node, store.value
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1 or not store.body.eager:
        return None
    via = value.via[-1] if value.kind is Kind.FUNCTION and value.via else None
    cache, index = dotted(node.value), node.slice[0].slice
    if via is None or via.name not in BOUNDARIES or cache is None:
        return None
    if cache in assigned_each_time(store) or not isinstance(index, cst.Index):
        return None
    return _Kept(store, cache, index.value)


def _asked_key(found: _Kept) -> cst.BaseExpression | None:
    """`k` of `if k not in cache:` around the store."""
    for guard in reversed(found.store.at.guards):
        key = _asked(guard, found.cache)
        if key is not None:
            return None if _fills_more(found, guard) else key
    return None


def _fills_more(found: _Kept, guard: Guard) -> bool:
    """One key stands for many, which are all stored at once."""
    store, key = found.store, _asked(guard, found.cache)
    if any(all(guard.test is not part for part in walk(loop.node)) for loop in store.at.loops):
        return True
    others = (_kept(other) for other in store.body.of(Store) if other is not store)
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


def _is_other_key(found: _Kept, asked: cst.BaseExpression) -> bool:
    """What is asked for is surely not what is stored, whatever names stand for them."""
    flowing = Flowing(found.store.body)
    one, other = flowing.resolve(asked), flowing.resolve(found.key)
    if text_of(one) == text_of(other) or text_of(asked) == text_of(found.key):
        return False
    # Where one may be made of the other, they may be equal; a loop in between sets many.
    named = _roots(found.store, asked) == _roots(found.store, found.key)
    return not (isinstance(one, cst.Name) and isinstance(other, cst.Name) and named)


def _missing(found: _Kept) -> list[str]:
    """Parameters and turns that the function bakes in, and that its key does not tell apart."""
    body, store = found.store.body, found.store
    path, number = next(iter(store.value.targets), ("", 0))
    if len(store.value.targets) != 1 or path != body.model.path:
        return []
    inner = body.model.functions[number]
    if inner.parent is not body.function:
        return []
    known = _roots(store, found.key)
    return [
        name
        for name in sorted(inner.captured)
        if name != inner.name and _is_plain(inner, name)
        if (made_of := _roots(store, cst.Name(name))) and not made_of <= known
    ]


def _roots(store: Store, node: cst.CSTNode) -> frozenset[str]:
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
