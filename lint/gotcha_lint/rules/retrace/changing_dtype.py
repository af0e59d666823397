from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, listed, variations
from gotcha_lint.solve.programs import Programs


class ChangingDtype(Rule):
    """Gives a jitted function an array of one dtype at one call and of another at the next.

    ## What happens
    `jit` keeps a program for each dtype. A state that starts as integers and comes back as floats
    compiles the step twice, the second time in the second step; data that are `float64` in numpy
    and `int32` elsewhere do so for each mixture.

    ## Instead
    Start with the dtype that the function returns, and convert data where they are loaded.
    """

    confidence = "medium"
    confirmed_by = (("recompile", "dtype"),)
    examples = (
        Example(
            bad="""
                import jax
                import numpy as np


                @jax.jit
                def step(state):
                    return state * 0.5 + 1.0


                state = np.zeros(3, np.int32)
                for _ in range(5):
                    state = step(state)  # ! changing-dtype
            """,
            good="""
                import jax
                import numpy as np


                @jax.jit
                def step(state):
                    return state * 0.5 + 1.0


                state = np.zeros(3, np.float32)
                for _ in range(5):
                    state = step(state)
            """,
            compiles=1,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "dtype"):
            yield at_call(
                variation,
                f"`{variation.label}` is {listed(variation.alternatives)} at different calls: "
                f"{called(row.function)} compiles one program for each dtype; convert it before "
                "the first call",
            )
