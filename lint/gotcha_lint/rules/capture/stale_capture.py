from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.stale_state import stale
from gotcha_lint.solve.programs import Programs


class StaleCapture(Rule):
    """Changes a variable after a jitted closure over it was compiled.

    ## What happens
    What a jitted function captures becomes a constant of its program when it is first called.
    Python closures see later assignments; the compiled program does not, so that a learning rate
    that is lowered between epochs, or weights that are replaced, have no effect. An nnx model
    captured by its evaluation gave the loss of the untrained model, 7.1587 before and after
    training, where 0.00002 was true.

    ## Instead
    Pass it as an argument.
    """

    severity = "error"
    confirmed_by = (("stale-capture", "closure"),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                rate = 0.5


                @jax.jit
                def step(x):
                    return x * rate


                x = jnp.ones(())
                for _ in range(5):
                    x = step(x)
                    rate = rate * 0.1  # ! stale-capture
            """,
            good="""
                import jax
                import jax.numpy as jnp

                rate = 0.5


                @jax.jit
                def step(x, rate):
                    return x * rate


                x = jnp.ones(())
                for _ in range(5):
                    x = step(x, rate)
                    rate = rate * 0.1
            """,
            shows="float(x) > 0.01",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        yield from stale(programs, "variable")
