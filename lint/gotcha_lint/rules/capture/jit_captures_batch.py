from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.new_functions import new_functions
from gotcha_lint.rule_helpers.wording import listed
from gotcha_lint.solve.programs import Programs


class JitCapturesBatch(Rule):
    """Jits a closure over the data of one step: it is baked in, and compiled again for the next.

    ## What happens
    What a jitted function captures is a constant of its program. A function that captures the
    batch has to be made, traced and compiled again for every batch. Each program keeps its own copy
    of the batch.

    ## Instead
    Jit one function, outside of the loop, that takes the data as arguments.

    ## Not reported
    Functions that capture sizes alone, as `jnp.arange(length)` needs them.
    """

    confirmed_by = (("recompile", "new-function"),)
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                weights = jnp.ones(3)
                for number in range(5):
                    batch = jnp.full(3, float(number))

                    @jax.jit  # ! jit-captures-batch
                    def step(w):
                        return w - 0.1 * jnp.sum(w * batch)

                    weights = step(weights)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w, batch):
                    return w - 0.1 * jnp.sum(w * batch)


                weights = jnp.ones(3)
                for number in range(5):
                    batch = jnp.full(3, float(number))
                    weights = step(weights, batch)
            """,
            compiles=4,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for new in new_functions(programs, "lambda", "closure", "transform"):
            if new.data:
                yield new.foreseen(
                    f"the function given to `{new.word}` captures {listed(new.data)}: at each "
                    f"{new.each} it is a new function, compiled again with these values baked in; "
                    "pass them as arguments"
                )
