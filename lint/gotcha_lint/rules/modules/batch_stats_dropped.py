from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Call
from gotcha_lint.analysis.syntax import literal, walk
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.auxiliary import dropped_outside
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
    return dropped_outside(function, target.value, target) if isinstance(target, cst.Name) else None


def _is_read(site: Call, target: cst.CSTNode) -> bool:
    """The name is used anywhere in the function; `_` is not meant to be."""
    if not isinstance(target, cst.Name):
        return literal(target) is None
    nodes = walk(site.body.function.node)
    return any(
        isinstance(n, cst.Name) and n.value == target.value and n is not target for n in nodes
    ) and (target.value != "_")
