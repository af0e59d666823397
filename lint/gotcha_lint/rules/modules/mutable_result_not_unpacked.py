from collections.abc import Iterator

from gotcha_lint.interpret.layers.mutable import NOT_UNPACKED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


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

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(NOT_UNPACKED):
            (name,) = fault.text
            what = f"`{name}`" if name else "with collections as `mutable` this"
            yield Foreseen(
                (fault.path, fault.span),
                f"{what} returns output and new state, and it is used as an array: unpack it",
                fault.places,
                fault.certain,
            )
