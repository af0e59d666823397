from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, variations
from gotcha_lint.solve.programs import Programs


class CallStyleVaries(Rule):
    """Gives a jitted function an argument by position here and by name there.

    ## What happens
    For `jit` the arguments by position and those by name are two parts of one tree. The same value
    in the other part is another tree: the function is traced and compiled again.

    ## Instead
    Call it in the same way everywhere.
    """

    confidence = "medium"
    confirmed_by = (("recompile", "call-style"),)
    examples = (
        Example(
            bad="""
                import jax
                import numpy as np


                @jax.jit
                def step(x, rate):
                    return x * rate


                x = np.ones(3, np.float32)
                warm = step(x, np.float32(0.1))
                y = step(x, rate=np.float32(0.1))  # ! call-style-varies
            """,
            good="""
                import jax
                import numpy as np


                @jax.jit
                def step(x, rate):
                    return x * rate


                x = np.ones(3, np.float32)
                warm = step(x, rate=np.float32(0.1))
                y = step(x, rate=np.float32(0.1))
            """,
            compiles=1,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "style"):
            yield at_call(
                variation,
                f"`{variation.label}` of {called(row.function)} is given by position at one call "
                "and by name at another: that makes two programs; call it in one way",
            )
