from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs
from gotcha_lint.wording import called, variations


class WeakTypeArgument(Rule):
    """Gives a jitted function a Python number at one call and an array at another.

    ## What happens
    A Python number becomes an array that is *weakly typed*: `x + 1.0` keeps the dtype of `x`. The
    weak type is part of the key by which `jit` finds a program, so `total = 0.0` before the loop
    and the result of the last step within it are two programs, although both are `float32[]`. A
    training step that takes minutes to compile does so twice, the second time in the second step.

    ## Instead
    Start with what the later steps will have: `np.float32(0)`, or `jnp.zeros((), jnp.float32)`.
    `jnp.array(0.0)` is strongly typed, `jnp.asarray(0.0)` and `jnp.full((), 0.0)` too.
    """

    preview = True
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
            call = variation.call
            yield Foreseen(
                (call.path, call.span),
                f"`{variation.label}` is a Python number at one call of {called(row.function)} and "
                "an array of the same dtype at another: the weak type of the number makes a second "
                "program; start with an array, such as `np.float32(0)`",
                variation.places,
                variation.certain,
            )
