from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import dotted, last_word, literal, walk
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.linen import (
    as_in_evaluation,
    first_of_result,
    is_apply,
    lacks,
    mutable_collections,
    of_a_copy,
    second_target,
)
from gotcha_lint.rule import Example, Report, Rule


class BatchStatsDropped(Rule):
    """Trains with batch statistics and throws the updated ones away.

    ## What happens
    The running mean and variance keep their initial values for ever. Training looks fine, because
    there the batch's own statistics are used; evaluation does not: a loss of 85 425 instead of 14.

    ## Instead
    Carry what `apply` returns: `y, updates = model.apply(..., mutable=["batch_stats"])`, return
    `updates["batch_stats"]` from the loss as auxiliary output, and put it into the state.
    """

    severity = "error"
    roots = frozenset({"mutable"})
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                model = nn.BatchNorm(use_running_average=False)
                x = 5.0 + jnp.zeros((4, 2))
                variables = model.init(jax.random.key(0), x)
                for _ in range(10):
                    y, _ = model.apply(variables, x, mutable="batch_stats")  # ! batch-stats-dropped
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn

                model = nn.BatchNorm(use_running_average=False)
                x = 5.0 + jnp.zeros((4, 2))
                variables = model.init(jax.random.key(0), x)
                for _ in range(10):
                    y, updates = model.apply(variables, x, mutable=["batch_stats"])
                    variables = {**variables, **updates}
            """,
            shows="bool((variables['batch_stats']['mean'] == 0).all())",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        if not is_apply(site) or is_test(site.body.model.path):
            return
        names = mutable_collections(site)
        if names is None or "batch_stats" not in names:
            return
        if lacks(site, "batchnorm") or site.arg_node(-1, "method") is not None:
            return  # it keeps none, or only a part of it runs here
        if as_in_evaluation(site) or of_a_copy(site):
            return
        target = _dropped(site)
        if target is None:
            return
        yield Report(
            site.node,
            "the updated batch statistics are thrown away: the running averages never change, and "
            "evaluation uses their initial values",
            places=((target, "dropped here"),),
        )


def _dropped(site: Call) -> cst.CSTNode | None:
    """Where the new statistics are lost."""
    target = second_target(site)
    if target is None:
        return first_of_result(site)
    if not _is_read(site, target):
        return target
    function = site.body.function
    return (
        _dropped_outside(function, target.value, target) if isinstance(target, cst.Name) else None
    )


def _is_read(site: Call, target: cst.CSTNode) -> bool:
    """The name is used anywhere in the function; `_` is not meant to be."""
    if not isinstance(target, cst.Name):
        return literal(target) is None
    nodes = walk(site.body.function.node)
    return any(
        isinstance(n, cst.Name) and n.value == target.value and n is not target for n in nodes
    ) and (target.value != "_")


_GRADS = ("value_and_grad",)


def _dropped_outside(function: Function, name: str, target: cst.CSTNode) -> cst.CSTNode | None:
    """The target that a value returned as auxiliary output gets there, if nobody reads it.

    `return loss, (y, updates)` here, `(loss, (y, _)), grads = grad_fn(params)` there.
    """
    outer, place = function.parent, _returned_at(function, name, target)
    if outer is None or place is None or isinstance(outer.node, cst.Module):
        return None
    found = [_at(aux, place) for aux in _auxiliary_targets(outer, function.name)]
    if len(found) != 1 or not isinstance(found[0], cst.Name):
        return None
    return None if _read_outside(outer, function, found[0]) else found[0]


def _read_outside(outer: Function, function: Function, got: cst.Name) -> bool:
    """The loss function may have a name like it of its own."""
    inside = {id(node) for node in walk(function.node)}
    return got.value != "_" and any(
        isinstance(node, cst.Name) and node.value == got.value and node is not got
        for node in walk(outer.node)
        if id(node) not in inside
    )


def _returned_at(function: Function, name: str, target: cst.CSTNode) -> tuple[int, ...] | None:
    """Where in the auxiliary output the name stands: () for all of it, (1,) for its second."""
    returns = function.returns
    if len(returns) != 1:
        return None
    uses = [
        node
        for node in walk(function.node)
        if isinstance(node, cst.Name) and node.value == name and node is not target
    ]
    match returns[0].value:
        case cst.Tuple(elements=[_, cst.Element(value=aux)]) if len(uses) == 1:
            if aux is uses[0]:
                return ()
            if isinstance(aux, cst.Tuple):
                found = [n for n, e in enumerate(aux.elements) if e.value is uses[0]]
                return (found[0],) if found else None
    return None


def _auxiliary_targets(outer: Function, name: str) -> Iterator[cst.CSTNode]:
    """`aux` of `(loss, aux), grads = value_and_grad(f, has_aux=True)(params)`."""
    makers: set[str] = set()
    for node in walk(outer.node):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=made))], value=value):
                if _differentiates(value, name):
                    makers.add(made)
    for node in walk(outer.node):
        if isinstance(node, cst.Assign) and isinstance(node.value, cst.Call):
            func, aux = node.value.func, _auxiliary(node)
            if aux is not None and (_differentiates(func, name) or dotted(func) in makers):
                yield aux


def _auxiliary(node: cst.Assign) -> cst.CSTNode | None:
    """`aux` of `(loss, aux), grads = ...`."""
    match node.targets[0].target:
        case cst.Tuple(elements=[cst.Element(value=cst.Tuple(elements=[_, aux])), _]):
            return aux.value
    return None


def _differentiates(node: cst.CSTNode, name: str) -> bool:
    match node:
        case cst.Call(func=func, args=[cst.Arg(value=cst.Name(value=given)), *_]):
            return given == name and last_word(func) in _GRADS
    return False


def _at(node: cst.CSTNode, place: tuple[int, ...]) -> cst.CSTNode | None:
    for position in place:
        if not isinstance(node, cst.Tuple) or position >= len(node.elements):
            return None
        node = node.elements[position].value
    return node
