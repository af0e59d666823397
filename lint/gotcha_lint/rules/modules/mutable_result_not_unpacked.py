from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Bind, Call
from gotcha_lint.analysis.syntax import parents, walk
from gotcha_lint.queries.array_uses import OF_ARRAYS, asks_its_type, wants_array
from gotcha_lint.queries.jitted import called_name
from gotcha_lint.queries.linen import assignment, is_apply, mutable_collections
from gotcha_lint.rule import Example, Report, Rule


class MutableResultNotUnpacked(Rule):
    """Uses the result of `apply(..., mutable=[...])` as an array: it is a tuple.

    ## What happens
    With `mutable` given as a list, even an empty one, `apply` returns `(output, updated state)`.
    `AttributeError: 'tuple' object has no attribute 'mean'`, or a `TypeError` in the first
    operation. `mutable=False` returns the output alone.

    ## Instead
    `y, updates = model.apply(..., mutable=["batch_stats"])`.
    """

    severity = "error"
    roots = frozenset({"mutable"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                bn = nn.BatchNorm(use_running_average=False)
                x = jnp.ones((4, 2))
                variables = bn.init(jax.random.key(0), x)
                y = bn.apply(variables, x, mutable="batch_stats")  # ! mutable-result-not-unpacked
                loss = y.mean()
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                bn = nn.BatchNorm(use_running_average=False)
                x = jnp.ones((4, 2))
                variables = bn.init(jax.random.key(0), x)
                y, updates = bn.apply(variables, x, mutable=["batch_stats"])
                variables = variables | updates
                loss = y.mean()
            """,
            raises="'tuple' object has no attribute 'mean'",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        own = is_apply(site) and mutable_collections(site) is not None
        if not own and not _gives_pair(site):
            return
        target = assignment(site)
        if isinstance(target, cst.Name):
            use = _array_use(site, target)
        else:
            use = site.node if _used_as_array(site, site.node, parents(site.at.statement)) else None
        if use is None:
            return
        what = "with collections as `mutable` this" if own else f"`{called_name(site)}`"
        yield Report(
            site.node,
            f"{what} returns output and new state, and it is used as an array: unpack it",
            places=() if use is site.node else ((use, "used as an array here"),),
        )


def _gives_pair(site: Call) -> bool:
    """A function of the project that hands on what `apply(..., mutable=[...])` gave it."""
    result = site.result
    return bool(site.callee.targets) and result.made == "mutable" and not result.maybe


def _array_use(site: Call, target: cst.Name) -> cst.CSTNode | None:
    """The first use of the name that fails on a tuple, if nothing else is ever bound to it."""
    body = site.body
    if sum(bind.name == target.value for bind in body.of(Bind)) != 1:
        return None
    if asks_its_type(body.function.node, target.value):
        return None
    above = parents(body.function.node)
    for node in walk(body.function.node):
        same = isinstance(node, cst.Name) and node.value == target.value and node is not target
        if same and _used_as_array(site, node, above):
            return node
    return None


def _used_as_array(site: Call, node: cst.CSTNode, above: dict[int, cst.CSTNode]) -> bool:
    match outer := above.get(id(node)):
        case cst.Attribute(value=value, attr=cst.Name(value=attr)):
            return value is node and attr in OF_ARRAYS
        case cst.BinaryOperation(operator=cst.Add() | cst.Multiply()):
            return False  # tuples have these too
        case cst.BinaryOperation():
            return True
        case cst.Arg():
            call = site.body.call_of(above.get(id(outer)))
            if call is None or call.callee.targets:
                return call is not None and wants_array(site.body, call, outer)
            if outer is not call.node.args[0]:
                return False
            return call.name.startswith(("jax.numpy.", "jax.nn.", "optax.")) and bool(call.args)
    return False
