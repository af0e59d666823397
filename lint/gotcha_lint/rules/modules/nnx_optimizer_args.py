from collections.abc import Iterator

import libcst as cst

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.optimizer_arguments import MODEL_TWICE, OLD_OPTIMIZER, OLD_UPDATE
from gotcha_lint.rule import Change, Example, Foreseen, Rewrite, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.text.file_tree import FileTree

_SINCE, _NEEDS = (0, 11), (0, 6)  # of Flax, and the oldest JAX that it runs on


class NnxOptimizerArgs(Rule):
    """Makes or updates an `nnx.Optimizer` as it was done before Flax 0.11.

    ## What happens
    `TypeError: Missing required argument `wrt`. As of Flax 0.11.0 the `wrt` argument is required`.
    The optimizer no longer holds the model: it wants to be told which variables are trained, and
    gets the model at each update. `optimizer.update(grads)`: `TypeError: Missing required argument
    `grads`. As of Flax 0.11.0 update requires both (model, grads) arguments to be passed`. A
    `ModelAndOptimizer` still holds the model, and takes the gradients alone: `update(model, grads)`
    of it is a `TypeError`.

    ## Instead
    `nnx.Optimizer(model, tx, wrt=nnx.Param)` and `optimizer.update(model, grads)`; or
    `nnx.ModelAndOptimizer`, which holds the model as before.

    ## Not reported
    Parameters without an annotation for which no call with an `nnx.Optimizer` is seen, and those of
    a program that makes a `ModelAndOptimizer`: they may be given one. Code for an older Flax
    (`target-flax`), or for a JAX older than 0.6 (`target-jax`), which Flax 0.11 does not run on.
    """

    severity = "error"
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
        Example(
            bad="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
                optimizer = nnx.ModelAndOptimizer(model, optax.adam(1e-3))
                grads = nnx.grad(lambda m: m(jnp.ones((4, 3))).sum())(model)
                optimizer.update(model, grads)  # ! nnx-optimizer-args
            """,
            good="""
                import jax.numpy as jnp
                import optax
                from flax import nnx

                model = nnx.Linear(3, 2, rngs=nnx.Rngs(0))
                optimizer = nnx.ModelAndOptimizer(model, optax.adam(1e-3))
                grads = nnx.grad(lambda m: m(jnp.ones((4, 3))).sum())(model)
                optimizer.update(grads)
            """,
            raises="takes 2 positional arguments but 3 were given",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(MODEL_TWICE):
            if not is_test(fault.path):
                yield Foreseen(
                    (fault.path, fault.span),
                    "an `nnx.ModelAndOptimizer` holds the model: its `update` takes the gradients "
                    "alone; give these, or make an `nnx.Optimizer(model, tx, wrt=nnx.Param)`",
                    fault.places,
                    fault.certain,
                )
        if not (
            self.options.has_reached("flax", _SINCE) and self.options.has_reached("jax", _NEEDS)
        ):
            return
        for fault in programs.faults.of(OLD_OPTIMIZER, OLD_UPDATE):
            if is_test(fault.path):
                continue
            made = fault.kind == OLD_OPTIMIZER
            yield Foreseen(
                (fault.path, fault.span),
                "since Flax 0.11 `nnx.Optimizer` needs `wrt`, the kind of variables that it "
                "trains: `wrt=nnx.Param`"
                if made
                else "since Flax 0.11 `update` of an `nnx.Optimizer` takes the model too: "
                "`update(model, grads)`",
                fault.places,
                fault.certain,
                hint=fault.text[0] if made else "",
            )

    def mend_by(
        self, hint: str, node: cst.CSTNode, statement: cst.CSTNode, file: FileTree
    ) -> Rewrite | None:
        if not hint or not isinstance(node, cst.Call):
            return None
        nnx = file.alias("flax.nnx")
        last: cst.CSTNode = node.args[-1].value
        change = Change(last, after=f", wrt={nnx}.Param")
        return Rewrite(
            "train the parameters", (change,), imports=(nnx,) if nnx == "flax.nnx" else ()
        )
