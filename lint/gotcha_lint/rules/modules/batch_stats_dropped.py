from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import DROPPED_STATISTICS
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(DROPPED_STATISTICS):
            yield Foreseen(
                (fault.path, fault.span),
                "the updated batch statistics are thrown away: the running averages never change, "
                "and evaluation uses their initial values",
                fault.places,
            )
