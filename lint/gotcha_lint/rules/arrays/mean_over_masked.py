"""A mean that counts the positions that a mask has set to zero."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import MASKED_MEAN
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class MeanOverMasked(Rule):
    """Takes the mean over all positions of what a mask has set to zero.

    ## What happens
    No error: `jnp.mean(loss * mask)` adds up the right positions and divides by all of them. The
    more padding a batch has, the smaller are its loss and its gradient: with three tokens of four
    masked out, a quarter. So sequences weigh differently, and the numbers of two runs with
    other padding cannot be compared. A quantile or a median takes the zeros for values.

    ## Instead
    `jnp.sum(loss * mask) / jnp.maximum(mask.sum(), 1)`, or `jnp.mean(loss, where=mask)` with a
    boolean mask. A quantile needs the selected values alone: `jnp.nanquantile(jnp.where(mask, x,
    jnp.nan), 0.99)`.

    ## Not reported
    Means that are divided by the mean or multiplied by a share of what counts; means over some
    axes; masks that nothing shows to be such, neither a name nor a comparison with what pads. Steps
    that end an episode (`1 - done`), and masks whose mean is taken beside, are shown with `--all`.

    ## In a run
    Nothing: the numbers are finite.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                loss = jnp.array([[2.0, 2.0, 5.0, 7.0]])
                mask = jnp.array([[1.0, 1.0, 0.0, 0.0]])


                def mean_loss(loss, mask):
                    return jnp.mean(loss * mask)  # ! mean-over-masked


                value = mean_loss(loss, mask)
            """,
            good="""
                import jax.numpy as jnp

                loss = jnp.array([[2.0, 2.0, 5.0, 7.0]])
                mask = jnp.array([[1.0, 1.0, 0.0, 0.0]])


                def mean_loss(loss, mask):
                    return jnp.sum(loss * mask) / jnp.maximum(mask.sum(), 1)


                value = mean_loss(loss, mask)
            """,
            shows="float(value) == 1.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(MASKED_MEAN):
            name, mask = fault.text
            cure = "divide the sum by the number of selected positions"
            if name != "mean" and name != "average":
                cure = "take it of the selected positions alone"
            yield Foreseen(
                (fault.path, fault.span),
                f"this {name} also counts the positions that `{mask}` has set to zero: {cure}",
                fault.places,
                fault.certain,
            )
