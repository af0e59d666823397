from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.flowing import Flowing
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import Kind
from gotcha_lint.facts.paths import is_test
from gotcha_lint.facts.trees import TAKE_MANY, TAKE_TREES
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.queries.jitted import arguments, called_name, static_arguments
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule

_VIEWS = {"values": "dict_values", "keys": "dict_keys", "items": "dict_items"}
_LAZY = frozenset({"zip", "map", "filter", "enumerate", "reversed"})
_GENERATOR = "generator"
# Transforms that look at every leaf of every argument.
_ALL_ARGUMENTS = frozenset({"jit", "nnx.jit", "pmap", "nnx.pmap"})


class DictValuesLeaf(Rule):
    """Gives `d.values()`, `zip(...)` or a generator where JAX wants a pytree.

    ## What happens
    These are no pytrees: JAX takes the whole iterator for one leaf. A compiled function raises
    `TypeError: Error interpreting argument to <function step> as an abstract array. The problematic
    value is of type <class 'dict_values'>`. `jax.tree.map` calls its function once, with the
    iterator; `jax.tree.leaves` gives a list of one; `jax.block_until_ready` waits for nothing.
    JAX warns: `Python iterable type 'dict_values' is treated as a leaf in PyTree. In a future
    version of JAX, this will become an error.`

    ## Instead
    `list(d.values())`, or the dict itself; a list comprehension for a generator.

    ## Not reported
    Iterators that come as an argument or from another function, and calls with `is_leaf`.

    ## In a run
    JAX's own error and its warning say it.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(arrays):
                    return sum(x.sum() for x in arrays)


                losses = {"a": jnp.ones(2), "b": jnp.ones(3)}
                total(losses.values())  # ! dict-values-leaf
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def total(arrays):
                    return sum(x.sum() for x in arrays)


                losses = {"a": jnp.ones(2), "b": jnp.ones(3)}
                total(list(losses.values()))
            """,
            raises="Error interpreting argument",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                layers = [jnp.ones(2), jnp.ones(3)]
                sizes = jax.tree.leaves(x * 2 for x in layers)  # ! dict-values-leaf
            """,
            good="""
                import jax
                import jax.numpy as jnp

                layers = [jnp.ones(2), jnp.ones(3)]
                sizes = jax.tree.leaves([x * 2 for x in layers])
            """,
            shows="len(sizes) == 1",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if site.decorator or is_test(site.body.model.path) or "is_leaf" in site.kwargs:
            return
        for node, where in _trees(site):
            made, kind = _iterator(site, node)
            if made is not None and not expected_to_fail(site.body, site.node):
                yield Report(
                    node,
                    f"`{source_of(node, 40)}` is a {kind}, which is not a pytree: {where} takes it "
                    "for one leaf; make it a list",
                    _fix(node, made, kind),
                )


def _trees(site: Call) -> Iterator[tuple[cst.BaseExpression, str]]:
    """The arguments that have to be pytrees, and what wants them so."""
    first = TAKE_TREES.get(site.name)
    if first is not None:
        plain = [arg.value for arg in site.node.args if arg.keyword is None and not arg.star]
        yield from ((node, f"`{site.name}`") for node in plain[first:][: _count(site.name)])
    elif site.callee.kind is Kind.FUNCTION and site.callee.via:
        via = site.callee.via[-1]
        if via.name not in _ALL_ARGUMENTS or via.filtered or not via.known or site.callee.maybe:
            return
        static = {id(argument.node) for argument in static_arguments(site)}
        if (via.static_nums or via.static_names) and not static:
            return
        for argument in arguments(site):
            if id(argument.node) not in static:
                yield argument.node, f"`{called_name(site)}`"


def _count(name: str) -> int | None:
    """How many arguments are trees: all the rest of `tree.map`, else one."""
    return None if name in TAKE_MANY else 1


def _iterator(site: Call, node: cst.CSTNode) -> tuple[cst.CSTNode | None, str]:
    """The expression that makes an iterator or a view of what is given, and what it is called."""
    source = Flowing(site.body, site.at).resolve(node)
    match source:
        case cst.GeneratorExp():
            return source, _GENERATOR
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=word)), args=[]) if word in _VIEWS:
            call = site.body.call_of(source)
            known = call is not None and (call.base is None or _may_be_dict(call))
            return (source, f"`{_VIEWS[word]}`") if known else (None, "")
        case cst.Call(func=cst.Name(value=word)) if word in _LAZY:
            call = site.body.call_of(source)
            own = call is not None and call.name == f"builtins.{word}"
            return (source, f"`{word}` object") if own else (None, "")
    return None, ""


def _may_be_dict(call: Call) -> bool:
    """Not an object of a class that has a method of its own of this name."""
    return call.base is not None and call.base.kind in (Kind.UNKNOWN, Kind.LIST, Kind.TREE)


def _fix(node: cst.BaseExpression, made: cst.CSTNode, kind: str) -> Rewrite | None:
    if kind != _GENERATOR:
        return Rewrite("make it a list", (Change(node, before="list(", after=")"),))
    if made is not node or not isinstance(node, cst.GeneratorExp):
        return None
    if node.lpar:
        return None
    return Rewrite("make it a list", (Change(node, before="[", after="]"),))
