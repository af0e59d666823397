from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import NUMBER_MASK
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class FloatWhereMask(Rule):
    """Gives a mask of numbers as `where=` of a sum, mean or softmax.

    ## What happens
    `ValueError: jnp.sum: where must be None or a boolean array; got
    where.dtype=dtype('float32').` Older releases of JAX took it.

    ## Instead
    The boolean mask itself, `jnp.sum(x, where=lengths > 0)`, or `mask.astype(bool)`. A mean over
    nothing is NaN.

    ## Not reported
    Masks whose type is not seen in the function.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                losses = jnp.array([1.0, 2.0, 3.0])
                mask = (jnp.array([4, 0, 2]) > 0).astype(jnp.float32)
                total = jnp.sum(losses, where=mask)  # ! float-where-mask
            """,
            good="""
                import jax.numpy as jnp

                losses = jnp.array([1.0, 2.0, 3.0])
                mask = jnp.array([4, 0, 2]) > 0
                total = jnp.sum(losses, where=mask)
            """,
            raises="where must be None or a boolean array",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(NUMBER_MASK):
            dtype, name = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` gets a mask of type {dtype}, but `where=` takes a boolean mask only",
                fault.places,
                fault.certain,
            )
