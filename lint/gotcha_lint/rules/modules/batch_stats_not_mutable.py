"""A module that trains its batch statistics is applied without `mutable`."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class BatchStatsNotMutable(Rule):
    """Applies a module that trains its batch statistics, and does not make them mutable.

    ## What happens
    The batch norm writes its running averages, and Flax raises `ModifyScopeVariableError: Cannot
    update variable "mean" in "/BatchNorm_0" because collection "batch_stats" is immutable`.

    ## Instead
    `y, changed = model.apply(variables, x, train=True, mutable=["batch_stats"])`, and
    `changed["batch_stats"]` goes into the next step.

    ## Not reported
    Calls with any `mutable` but `False`, or with `**options` that are not in the code; a batch norm
    that only some branches reach; a module that is run by another method than `__call__`.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        x = nn.Dense(8)(x)
                        return nn.BatchNorm(use_running_average=not train)(x)


                model = Model()
                x = jnp.ones((2, 4))
                variables = model.init(jax.random.key(0), x, train=False)
                y = model.apply(variables, x, train=True)  # ! batch-stats-not-mutable
            """,
            good="""
                import jax
                import jax.numpy as jnp
                from flax import linen as nn


                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x, train):
                        x = nn.Dense(8)(x)
                        return nn.BatchNorm(use_running_average=not train)(x)


                model = Model()
                x = jnp.ones((2, 4))
                variables = model.init(jax.random.key(0), x, train=False)
                y, changed = model.apply(variables, x, train=True, mutable=["batch_stats"])
                variables = variables | changed
            """,
            raises="ModifyScopeVariableError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for effect in programs.effects["apply"].values():
            if effect.what == "batch_stats":
                yield Foreseen(
                    (effect.path, effect.span),
                    "a batch norm in this module writes its statistics here, and `apply` makes "
                    'none mutable: Flax raises; give `mutable=["batch_stats"]` and keep the result',
                    tuple((*place, "writes its statistics here") for place in effect.origins),
                    certain=not effect.maybe,
                )
