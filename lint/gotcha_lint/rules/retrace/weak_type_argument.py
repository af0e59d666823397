from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, variations
from gotcha_lint.solve.programs import Programs


class WeakTypeArgument(Rule):
    """Gives a jitted function a Python number at one call and an array with a dtype at another.

    ## What happens
    A Python number becomes an array that is *weakly typed*: `x + 1.0` keeps the dtype of `x`. The
    weak type is part of the key by which `jit` finds a program, so `total = 0.0` before the loop
    and the result of the last step within it are two programs, although both are `float32[]`. A
    training step that takes minutes to compile does so twice, the second time in the second step.

    ## Instead
    Start with what the later steps will have: `np.float32(0)`, or `jnp.zeros(())`. An array that is
    made from a Python number without a dtype is weakly typed too: `jnp.array(0.0)`,
    `jnp.asarray(0.0)` and `jnp.full((2, 8), 3)`; with a dtype, or from a list, it is not.
    """

    confidence = "medium"
    confirmed_by = (("recompile", "weak-type"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def add(total, x):
                    return total + jnp.sum(x)


                x = np.ones(3, np.float32)
                total = 0.0
                for _ in range(5):
                    total = add(total, x)  # ! weak-type-argument
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import numpy as np


                @jax.jit
                def add(total, x):
                    return total + jnp.sum(x)


                x = np.ones(3, np.float32)
                total = np.float32(0.0)
                for _ in range(5):
                    total = add(total, x)
            """,
            compiles=1,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "weak"):
            yield at_call(
                variation,
                f"`{variation.label}` is weakly typed (a Python number, or made from one without a "
                f"dtype) at one call of {called(row.function)} and not at another: that makes a "
                "second program for the same dtype; give it a dtype from the start, as "
                "`np.float32(0)` has",
            )
