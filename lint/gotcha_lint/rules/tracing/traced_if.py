from collections.abc import Iterator

from gotcha_lint.interpret.faults.traced import LARGER, TEST
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class TracedIf(Rule):
    """Asks a traced array for its truth value: `if`, `while`, `assert`, `and`, `or`, `not`, `max`.

    ## What happens
    `TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].`
    While a function is traced its arrays have no values, so Python cannot choose a branch.

    ## Instead
    Select with `jnp.where` or `jax.lax.cond`, or loop with `jax.lax.while_loop`. If the argument is
    a setting rather than data, declare it in `static_argnames`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def clip(x):
                    if jnp.sum(x) > 1.0:  # ! traced-if
                        x = x / jnp.sum(x)
                    return x


                clip(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def clip(x):
                    total = jnp.sum(x)
                    return jnp.where(total > 1.0, x / total, x)


                clip(jnp.ones(3))
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(TEST, LARGER):
            (word,) = fault.text
            if fault.kind == TEST:
                message = f"`{{}}` is a traced array: Python's `{word}` cannot branch on it"
            else:
                message = (
                    f"Python's `{word}` asks which is larger, and `{{}}` gives it a traced array: "
                    f"use `jnp.{word}imum`"
                )
            here = fault.path, fault.span
            yield Foreseen(here, message, fault.places, fault.certain, quotes=(here,))
