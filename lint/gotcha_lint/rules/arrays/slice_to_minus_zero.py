"""What does not fill a batch is cut off by a negative index that may be zero."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.remainder_slices import empty_slices
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class SliceToMinusZero(Rule):
    """Cuts off a remainder with `x[:-rest]`, which is empty where the remainder is zero.

    ## What happens
    `x[: -(len(x) % size)]` drops what does not fill a batch, until the length is a multiple of the
    size: `-0` is `0`, and `x[:0]` is empty. Nothing is raised: a loop over the batches has no
    turns, and the mean of what it collected is NaN.

    ## Instead
    `x[: len(x) - rest]`, or `x[: len(x) // size * size]`.

    ## Not reported
    Functions with a condition that reads the remainder; remainders that come from elsewhere.

    ## In a run
    Nothing.

    ## References
    https://docs.python.org/3/library/stdtypes.html#common-sequence-operations
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp


                def batches(data, size):
                    rest = len(data) % size
                    return data[:-rest].reshape(-1, size)  # ! slice-to-minus-zero


                number = len(batches(jnp.arange(8), 4))
            """,
            good="""
                import jax.numpy as jnp


                def batches(data, size):
                    rest = len(data) % size
                    return data[: len(data) - rest].reshape(-1, size)


                number = len(batches(jnp.arange(8), 4))
            """,
            shows="number == 0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function in text.origins.links.bodies(text.module):
                for found in empty_slices(text.origins.links, function):
                    yield Foreseen(
                        (function.path, found.span),
                        f"this is empty where `{found.rest}` is 0: cut at the length less the "
                        "remainder",
                        ((function.path, found.made, "this remainder may be 0"),),
                    )
