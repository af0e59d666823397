"""`(n,) - (n, 1)` is a matrix."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ColumnMinusRow(Rule):
    """Subtracts arrays of the shapes `(n,)` and `(n, 1)`: the result is `(n, n)`.

    ## What happens
    The output of a last layer with one unit is `(n, 1)`, the targets are `(n,)`: their difference
    has all pairs. The mean of its square is a number like any other, and training with it learns
    the mean of the targets.

    ## Instead
    Make the shapes equal: `prediction[:, 0] - target`, or `prediction.squeeze(-1)`.
    `chex.assert_equal_shape` or a jaxtyping annotation finds such places in a run.

    ## Not reported
    Columns that are made by `x[:, None]`, `reshape` or `expand_dims`: all pairs are meant.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss(w, x, y):
                    prediction = x @ w
                    return jnp.mean((prediction - y) ** 2)  # ! column-minus-row


                x, y = jnp.eye(4), jnp.arange(4.0)
                value = jax.jit(loss)(y[:, None], x, y)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss(w, x, y):
                    prediction = (x @ w)[:, 0]
                    return jnp.mean((prediction - y) ** 2)


                x, y = jnp.eye(4), jnp.arange(4.0)
                value = jax.jit(loss)(y[:, None], x, y)
            """,
            shows="float(value) > 0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("broadcast"):
            yield Foreseen(
                (fault.path, fault.span),
                "one side has the shape `(n,)` and the other `(n, 1)`, so the result is `(n, n)`: "
                "make the shapes equal, with `[:, 0]` or `squeeze(-1)`",
                fault.places,
                fault.certain,
            )
