"""A padding to the next multiple adds a whole block to what is a multiple already."""

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.local.whole_paddings import whole_paddings
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class WholeBlockPadded(Rule):
    """Pads by `size - n % size`, which is `size` and not 0 where nothing is missing.

    ## What happens
    No error. A length that is a multiple already is padded by a whole block. The last batch has
    nothing but padding, an array has another shape than the layer after it expects, and a mean over
    all rows counts rows that are no data. It shows only for some sizes of the data.

    ## Instead
    `-n % size`, or `(size - n % size) % size`.

    ## Not reported
    - numbers that pad nothing, such as the steps until the next checkpoint;
    - functions with a test of the remainder or of the number, which takes care of it.

    ## In a run
    Nothing.

    ## References
    https://docs.python.org/3/reference/expressions.html#binary-arithmetic-operations
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp


                def padded(x, size):
                    missing = size - len(x) % size  # ! whole-block-padded
                    return jnp.pad(x, (0, missing))


                y = padded(jnp.ones(8), 4)
            """,
            good="""
                import jax.numpy as jnp


                def padded(x, size):
                    missing = -len(x) % size
                    return jnp.pad(x, (0, missing))


                y = padded(jnp.ones(8), 4)
            """,
            shows="y.size == 12",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function in text.origins.links.bodies(text.module):
                for one in whole_paddings(function):
                    whole = f"({one.whole})" if " " in one.whole else one.whole
                    yield Foreseen(
                        (function.path, one.span),
                        f"this is `{one.size}`, and not 0, where `{one.whole}` is a multiple of "
                        f"it: a whole block is padded; write `-{whole} % {one.size}`",
                    )
