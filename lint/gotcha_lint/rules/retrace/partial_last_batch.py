from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, variations
from gotcha_lint.solve.programs import Programs


class PartialLastBatch(Rule):
    """Cuts data into batches of which the last is smaller: the jitted step compiles twice.

    ## What happens
    `x[i : i + size]` for `i in range(0, len(x), size)` ends with the remainder, a second shape:
    the step compiles twice (2 instead of 1 measured), and the second time at the end of the first
    epoch, late in the run.

    ## In a run
    Of this example nothing: a second shape that settles is counted among the compiles of the report
    and taken for start-up. Sizes that go on changing are reported.

    ## Instead
    Drop the remainder (`range(0, len(x) - size + 1, size)`; `drop_last=True` of a loader,
    `drop_remainder=True` of a pipeline), or pad it and mask the padding.

    ## Not reported
    Lengths that were cut or are not known here, and loops that look at the length of a batch;
    loaders with a sampler of their own.
    """

    confidence = "medium"
    confirmed_by = (("recompile", "shape"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def step(x):
                    return jnp.sum(x)


                data = np.ones(10)
                for i in range(0, len(data), 4):
                    step(data[i : i + 4])  # ! partial-last-batch
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def step(x):
                    return jnp.sum(x)


                data = np.ones(10)
                for i in range(0, len(data) - 3, 4):
                    step(data[i : i + 4])
            """,
            compiles=1,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "ragged"):
            yield at_call(
                variation,
                f"axis {variation.axis} of `{variation.label}` is shorter in the last batch: "
                f"{called(row.function)} compiles a second program for it; drop the remainder, or "
                "pad it",
            )
