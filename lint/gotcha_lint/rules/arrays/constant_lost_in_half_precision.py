"""Numbers of half precision: what becomes of a number in it."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.remarks import LOST_CONSTANT
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ConstantLostInHalfPrecision(Rule):
    """Puts a number into bfloat16 or float16, where it becomes 1 or 0.

    ## What happens
    Nothing fails. 0.999 is 1 in bfloat16, which has 8 bits for it, and 0.9999 is 1 in float16 too:
    `decay * average` forgets nothing, `1 - decay` is 0. The same happens to a Python number that is
    computed with an array of half precision: it takes the array's type, in `optax.ema(0.999,
    accumulator_dtype=jnp.bfloat16)` too, whose average of ones stays at 0.5. 1e-8 is 0 in float16,
    so it protects no division from zero.

    ## Instead
    Keep averages and what they are computed with in float32; in float16 an epsilon of 1e-6 or more.

    ## Not reported
    Numbers and types that are not seen in the function; what becomes another number than 1 or 0;
    tests.

    ## In a run
    Nothing: the numbers are finite. Where a zero guards a division it is `non-finite-value`.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                decay = jnp.asarray(0.999, jnp.bfloat16)  # ! constant-lost-in-half-precision
                average = decay * jnp.ones(3)
            """,
            good="""
                import jax.numpy as jnp

                decay = jnp.asarray(0.999, jnp.float32)
                average = decay * jnp.ones(3)
            """,
            shows="float(average[0]) == 1.0",
        ),
        Example(
            bad="""
                import jax.numpy as jnp

                average = jnp.ones(3)
                for step in range(100):
                    old = average.astype(jnp.bfloat16)
                    average = 0.999 * old  # ! constant-lost-in-half-precision
            """,
            good="""
                import jax.numpy as jnp

                average = jnp.ones(3)
                for step in range(100):
                    old = average.astype(jnp.float32)
                    average = 0.999 * old
            """,
            shows="float(average[0]) == 1.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LOST_CONSTANT):
            text = f"{fault.text[0]}; keep it in float32"
            yield Foreseen((fault.path, fault.span), text)
