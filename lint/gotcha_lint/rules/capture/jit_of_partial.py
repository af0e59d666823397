from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.new_functions import new_functions
from gotcha_lint.solve.programs import Programs


class JitOfPartial(Rule):
    """Jits a new `functools.partial` at each step: it compiles each time.

    ## What happens
    A `functools.partial` is hashed by its identity, so `jax.jit(partial(f, ...))` finds nothing of
    what an equal partial compiled before: 10 steps traced and compiled 10 times, about 1140 times
    slower per step (measured on CPU).

    ## Instead
    Make and jit the partial once, or jit the function itself and pass the bound arguments, as
    static ones where they choose the program.

    ## Not reported
    `if stale:` around it, with `stale = False` inside: a new one is made when something asks.
    """

    confirmed_by = (("recompile", "new-function"),)
    examples = (
        Example(
            bad="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                def scale(x, factor):
                    return x * factor


                x = jnp.ones(3)
                for _ in range(5):
                    x = jax.jit(partial(scale, factor=0.5))(x)  # ! jit-of-partial
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                def scale(x, factor):
                    return x * factor


                halve = jax.jit(partial(scale, factor=0.5))

                x = jnp.ones(3)
                for _ in range(5):
                    x = halve(x)
            """,
            compiles=4,
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for new in new_functions(programs, "partial"):
            yield new.foreseen(
                f"this partial is a new object at each {new.each}, and partials are compared by "
                f"identity: `{new.word}` compiles {new.name} each time; make it once, or pass what "
                "it binds as arguments"
            )
