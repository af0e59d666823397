from collections.abc import Iterator

from gotcha_lint.interpret.start.startup import WIDENED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class X64SetTooLate(Rule):
    """Switches 64-bit arrays on after arrays were made.

    ## What happens
    There is no error and no warning. The arrays made before stay float32, those made after are
    float64: results mix both, and every function that has compiled for the one compiles again for
    the other.

    ## Instead
    `jax.config.update("jax_enable_x64", True)` directly below the imports.
    """

    severity = "warning"
    confidence = "medium"
    confirmed_by = (("x64-set-too-late", ""), ("recompile", "dtype"))
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                scale = jnp.ones(3)
                jax.config.update("jax_enable_x64", True)  # ! x64-set-too-late
                shift = jnp.ones(3)
            """,
            good="""
                import jax
                import jax.numpy as jnp

                jax.config.update("jax_enable_x64", True)
                scale = jnp.ones(3)
                shift = jnp.ones(3)
            """,
            shows="scale.dtype != shift.dtype",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for late in programs.too_late:
            if late.kind == WIDENED:
                yield Foreseen(
                    late.place,
                    f"64-bit arrays are switched on after `{late.by}` has made an array of 32 "
                    "bits; do it directly below the imports",
                    ((*late.early, "made with 32 bits"),),
                )
