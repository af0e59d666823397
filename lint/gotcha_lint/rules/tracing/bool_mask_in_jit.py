from collections.abc import Iterator

from gotcha_lint.interpret.faults.traced import MASK, SIZED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import place_in
from gotcha_lint.solve.programs import Programs


class BoolMaskInJit(Rule):
    """Selects by a traced boolean mask, or asks for the positions of what is true.

    ## What happens
    `NonConcreteBooleanIndexError: Array boolean indices must be concrete; got bool[4]`, for
    `x[mask]` and for `x.at[mask].set(v)` alike. `jnp.nonzero`, `jnp.unique`, `jnp.argwhere` and
    `jnp.where(mask)` raise `ConcretizationTypeError`. The number of selected elements would be a
    shape, and shapes must be known while tracing. Both work outside of `jit`, at a compilation for
    every new count (63 for 9 counts in one measured program).

    ## Instead
    `jnp.where(mask, x, 0)` keeps the shape; sums take `where=mask`; `jnp.nonzero` takes `size=`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.NonConcreteBooleanIndexError
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def positive(x):
                    return jnp.sum(x[x > 0])  # ! bool-mask-in-jit


                positive(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def positive(x):
                    return jnp.sum(x, where=x > 0)


                positive(jnp.ones(3))
            """,
            raises="NonConcreteBooleanIndexError",
        ),
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def first(x):
                    return jnp.nonzero(x)[0][0]  # ! bool-mask-in-jit


                first(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def first(x):
                    return jnp.nonzero(x, size=1)[0][0]


                first(jnp.ones(3))
            """,
            raises="ConcretizationTypeError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SIZED, MASK):
            here = fault.path, fault.span
            if fault.kind == MASK:
                message = "`{}` selects by a traced mask: use `jnp.where`"
            else:
                cure = fault.text[0]
                message = (
                    f"the values decide how many results `{{}}` gives: it needs `{cure}=` here"
                )
            quotes = (here if fault.kind == MASK else place_in(fault),)
            yield Foreseen(here, message, fault.places, fault.certain, quotes=quotes)
