from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import at_call, called, structures, variations
from gotcha_lint.solve.programs import Programs


class ChangingStructure(Rule):
    """Gives a jitted function trees of different structure: `None` or an array, a list or a tuple.

    ## What happens
    `jit` keeps a program for each structure of its arguments. `None` is a tree without leaves, a
    list is not a tuple, and a dict with other keys is another tree: each compiles the function
    again. A state that is `None` before the first step compiles the step twice.

    ## Instead
    Make the state before the loop, with the structure that the function returns. Where two
    structures are meant, two functions say so.
    """

    confidence = "medium"
    confirmed_by = (("recompile", "pytree"),)
    examples = (
        Example(
            bad="""
                import jax
                import numpy as np


                @jax.jit
                def step(momentum, gradient):
                    if momentum is None:
                        return gradient
                    return 0.9 * momentum + gradient


                gradient = np.ones(3, np.float32)
                momentum = None
                for _ in range(5):
                    momentum = step(momentum, gradient)  # ! changing-structure
            """,
            good="""
                import jax
                import numpy as np


                @jax.jit
                def step(momentum, gradient):
                    return 0.9 * momentum + gradient


                gradient = np.ones(3, np.float32)
                momentum = np.zeros(3, np.float32)
                for _ in range(5):
                    momentum = step(momentum, gradient)
            """,
            compiles=1,
        ),
        Example(
            bad="""
                import jax
                import numpy as np


                @jax.jit
                def step(state, x):
                    mean, count = state
                    return mean + x, count + 1


                x = np.ones(3, np.float32)
                state = [np.zeros(3, np.float32), np.int32(0)]
                for _ in range(5):
                    state = step(state, x)  # ! changing-structure
            """,
            good="""
                import jax
                import numpy as np


                @jax.jit
                def step(state, x):
                    mean, count = state
                    return mean + x, count + 1


                x = np.ones(3, np.float32)
                state = np.zeros(3, np.float32), np.int32(0)
                for _ in range(5):
                    state = step(state, x)
            """,
            compiles=1,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for row, variation in variations(programs, "structure"):
            yield at_call(
                variation,
                f"`{variation.label}` is {structures(variation.alternatives)} at different calls: "
                f"{called(row.function)} compiles one program for each structure; give it the same "
                "one from the first call on",
            )
