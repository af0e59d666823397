from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body, Call
from gotcha_lint.analysis.syntax import names_in
from gotcha_lint.facts.paths import is_test
from gotcha_lint.queries.expected import expected_to_fail
from gotcha_lint.rule import Change, Example, Report, Rewrite, Rule, module_alias

_OPTIMIZER = "flax.nnx.Optimizer"
_ASKING = frozenset({"signature", "version", "__version__", "__version_info__", "isinstance"})
_SINCE, _NEEDS = (0, 11), (0, 6)  # of Flax, and the oldest JAX that it runs on


class NnxOptimizerArgs(Rule):
    """Makes or updates an `nnx.Optimizer` as it was done before Flax 0.11.

    ## What happens
    `TypeError: Missing required argument `wrt`. As of Flax 0.11.0 the `wrt` argument is required`.
    The optimizer no longer holds the model: it wants to be told which variables are trained, and
    gets the model at each update. `optimizer.update(grads)`: `TypeError: Missing required argument
    `grads`. As of Flax 0.11.0 update requires both (model, grads) arguments to be passed`.

    ## Instead
    `nnx.Optimizer(model, tx, wrt=nnx.Param)` and `optimizer.update(model, grads)`; or
    `nnx.ModelAndOptimizer`, which holds the model as before.

    ## Not reported
    Parameters for which no call with an `nnx.Optimizer` is seen: they may be given a
    `ModelAndOptimizer`. Code for an older Flax (`target-flax`), or for a JAX older than 0.6
    (`target-jax`), which Flax 0.11 does not run on.
    """

    severity = "error"
    roots = frozenset({"nnx"})
    examples = (
        Example(
            bad="""
                import optax
                from flax import nnx

                model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.adam(1e-3))  # ! nnx-optimizer-args
            """,
            good="""
                import optax
                from flax import nnx

                model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
            """,
            raises="Missing required argument `wrt`",
        ),
        Example(
            bad="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
                grads = nnx.grad(lambda m: m(jnp.ones((4, 3))).sum())(model)
                optimizer.update(grads)  # ! nnx-optimizer-args
            """,
            good="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
                optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
                grads = nnx.grad(lambda m: m(jnp.ones((4, 3))).sum())(model)
                optimizer.update(model, grads)
            """,
            raises="Missing required argument `grads`",
        ),
    )

    def check(self, site: Call) -> Iterator[Report]:
        new = self.options.has_reached("flax", _SINCE) and self.options.has_reached("jax", _NEEDS)
        if site.decorator or site.starred or not new:
            return
        if not site.name.startswith(_OPTIMIZER) or is_test(site.body.model.path):
            return
        if expected_to_fail(site.body, site.node):
            return
        if site.name == _OPTIMIZER and "wrt" not in site.kwargs and len(site.node.args) > 1:
            yield Report(
                site.node,
                "since Flax 0.11 `nnx.Optimizer` needs `wrt`, the kind of variables that it "
                "trains: `wrt=nnx.Param`",
                _fix(site),
            )
        elif _updates_alone(site):
            yield Report(
                site.node,
                "since Flax 0.11 `update` of an `nnx.Optimizer` takes the model too: "
                "`update(model, grads)`",
            )


def _updates_alone(site: Call) -> bool:
    """`optimizer.update(grads)` of one that is made here, by the object, or by the callers."""
    base = site.base
    if base is None or base.of != _OPTIMIZER or base.maybe or not _is_seen(site.body, base.param):
        return False
    asked = any(_ASKING & set(names_in(guard.test)) for guard in site.at.guards)
    return site.name == f"{_OPTIMIZER}.update" and len(site.node.args) == 1 and not asked


def _is_seen(body: Body, name: str) -> bool:
    """Known by what callers give: an annotation alone may stand for a `ModelAndOptimizer`."""
    params = [param for param in body.function.params if param.name == name]
    if not params or params[0].annotation is None:
        return True
    return body.trace is not None and bool(body.usage.callers.get(body.id))


def _fix(site: Call) -> Rewrite | None:
    if len(site.node.args) > 2:  # it may be there, by position
        return None
    nnx = module_alias(site.body, "flax.nnx")
    last: cst.CSTNode = site.node.args[-1].value
    change = Change(last, after=f", wrt={nnx}.Param")
    needed = (nnx,) if nnx == "flax.nnx" else ()
    return Rewrite("train the parameters", (change,), imports=needed)
