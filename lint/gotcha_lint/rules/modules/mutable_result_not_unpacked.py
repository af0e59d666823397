from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.filling import filled_by
from gotcha_lint.analysis.model import Function
from gotcha_lint.analysis.sites import Bind, Body, Call
from gotcha_lint.analysis.syntax import asks_its_type, dotted, parents, walk
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
            return value is node and attr in _OF_ARRAYS
        case cst.BinaryOperation(operator=cst.Add() | cst.Multiply()):
            return False  # tuples have these too
        case cst.BinaryOperation():
            return True
        case cst.Arg():
            call = site.body.call_of(above.get(id(outer)))
            if call is None or call.callee.targets:
                return call is not None and _wants_array(site.body, call, outer)
            if outer is not call.node.args[0]:
                return False
            return call.name.startswith(("jax.numpy.", "jax.nn.", "optax.")) and bool(call.args)
    return False


_OF_ARRAYS = frozenset(
    [
        "shape",
        "ndim",
        "dtype",
        "mean",
        "sum",
        "reshape",
        "astype",
        "at",
        "max",
        "min",
        "argmax",
        "squeeze",
        "T",
    ]
)
# Parameters of these names are arrays, wherever the function stands.
_NAMES = frozenset(
    {"logits", "log_probs", "probs", "pred", "preds", "predictions", "y_pred", "y_hat"}
)
_MODULES = ("jnp.", "jax.numpy.", "jax.nn.", "optax.")


def _wants_array(body: Body, call: Call, arg: cst.Arg) -> bool:
    """The argument is given to a project's function that takes an array there."""
    filled = filled_by(call, arg.value)
    if body.project is None or filled is None:
        return False
    (path, number), name = filled
    function = body.project.function((path, number))
    if name in _NAMES or (name in function.arrays and path != body.model.path):
        return True
    return path == body.model.path and _is_array(body.model.functions[number], name)


def _is_array(function: Function, name: str) -> bool:
    """Its first use fails on a tuple."""
    if not name or asks_its_type(function.node, name):
        return False
    above = parents(function.node)
    own = {id(param.node) for param in function.params}
    for node in walk(function.node):
        if isinstance(node, cst.Name) and node.value == name and id(above.get(id(node))) not in own:
            return _is_array_use(node, above)
    return False


def _is_array_use(node: cst.CSTNode, above: dict[int, cst.CSTNode]) -> bool:
    match outer := above.get(id(node)):
        case cst.Attribute(value=value, attr=cst.Name(value=attr)):
            return value is node and attr in _OF_ARRAYS
        case cst.BinaryOperation(operator=cst.Subtract() | cst.Divide()):
            return True
        case cst.Arg():
            call = above.get(id(outer))
            if not isinstance(call, cst.Call) or call.args[0] is not outer:
                return False
            return (dotted(call.func) or "").startswith(_MODULES)
    return False
