"""Stores into a dictionary that a function was given, which nothing sees afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Body, Call, Discard, Place, Store
from gotcha_lint.analysis.syntax import last_word, literal, parents, source_of, walk
from gotcha_lint.analysis.values import Kind
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.stale import names_read
from gotcha_lint.queries.traced import abstract
from gotcha_lint.rule import Example, Report, Rule

# They take their arguments apart and build them again; a gradient hands on what it is not of, and
# Flax's transforms bring changes back.
_REBUILDS = frozenset({"jit", "pmap", "shard_map", "vmap", "scan"})
_BRINGS_BACK = frozenset({"nnx.jit", "nnx.pmap", "nn.transform", "module"})


class ArgumentMutatedInJit(Rule):
    """Stores into a dictionary argument of a jitted function, which does not return it.

    ## What happens
    Nothing fails, and there is no message. `jax.jit` takes its arguments apart and gives the
    function new containers: `params["w"] = w` changes the dictionary of this trace, and the
    caller's stays as it was. A step that updates its parameters like this trains nothing; without
    `jit` it does.

    ## Instead
    Return what is new, and bind it: `params = step(params, x)`.

    ## Not reported
    A dictionary that is returned, read or passed on after the store; one that anything may keep;
    copies; helpers, whose caller sees the store; keys that are not written out; `del` and `pop`;
    Flax NNX, whose transforms bring changes back.

    ## In a run
    Nothing: the store happens before there is a program.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, x):
                    error = params["w"] * x - 1.0
                    params["w"] = params["w"] - 0.1 * error * x  # ! argument-mutated-in-jit
                    return jnp.sum(error**2)


                params = {"w": jnp.zeros(3)}
                for _ in range(10):
                    loss = step(params, jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(params, x):
                    error = params["w"] * x - 1.0
                    params["w"] = params["w"] - 0.1 * error * x
                    return params, jnp.sum(error**2)


                params = {"w": jnp.zeros(3)}
                for _ in range(10):
                    params, loss = step(params, jnp.ones(3))
            """,
            shows="float(loss) == 3.0",
        ),
    )

    def check(self, site: Body) -> Iterator[Report]:
        trace = site.trace
        if trace is None or not (trace.direct and (trace.known or trace.filtered)) or site.hosted:
            return
        last = trace.chain[-1][1].partition(" of ")[0] if trace.chain else ""
        if last not in _REBUILDS or not trace.roles.isdisjoint(_BRINGS_BACK) or not abstract(site):
            return
        for param in site.function.params:
            if param.kind in ("star", "kwargs") or param.name in trace.static:
                continue
            for place in _lost_stores(site, param.name):
                if not expected_to_fail(site, place.node) and not _called_as_it_is(site):
                    yield Report(
                        place.node,
                        f"`{source_of(place.node, 40)}` is lost: {last} gives "
                        f"`{site.function.name}` a copy of `{param.name}`, and nothing reads or "
                        f"returns it after this; return `{param.name}`",
                        why_traced=True,
                    )


def _called_as_it_is(body: Body) -> bool:
    """Somewhere its plain name is called, where the caller sees what is stored."""
    function, path = body.function, body.model.path
    bound = function.outer.bound.get(function.name, ()) if function.outer is not None else ()
    if getattr(function.node, "decorators", ()) or len(bound) > 1:  # `step = jax.jit(step)`
        return False
    kind = cst.Attribute if function.is_method else cst.Name
    called = (node.func for node in walk(body.model.tree) if isinstance(node, cst.Call))
    elsewhere = any(caller != path for caller, _ in body.usage.callers.get(body.id, ()))
    return elsewhere or any(
        isinstance(func, kind) and last_word(func) == function.name for func in called
    )


_LOOKS = frozenset({"items", "keys", "values", "get"})
# What these give does not hold the dictionary that they were given.
_MAKE_ANEW = ("jax.", "optax.", "flax.core.", "flax.traverse_util.", "builtins.len")
_KEEP = frozenset({"jax.tree_util.Partial"})

_Above = dict[int, cst.CSTNode]


def _lost_stores(body: Body, param: str) -> Iterator[Place]:
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


def _whole(read: cst.CSTNode, above: _Above) -> cst.CSTNode:
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


def _is_alias(read: cst.CSTNode, above: _Above, names: set[str]) -> bool:
    outer = above.get(id(read))
    return isinstance(outer, cst.Assign) and all(
        isinstance(each.target, cst.Name) and each.target.value in names for each in outer.targets
    )


def _looks(body: Body, read: cst.CSTNode, above: _Above, depth: int) -> bool:
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
