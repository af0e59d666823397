"""Floating numbers are written into an array of whole numbers."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class FloatIntoIntegerArray(Rule):
    """Writes floating numbers into an array of whole numbers: their fractions are lost.

    ## What happens
    `x.at[i].set(y)` keeps the type of `x`. JAX 0.10 to 0.12 print a `FutureWarning` and cut the
    fractions off. Buffers get a whole number type by accident: `jnp.zeros_like(tokens)`,
    `jnp.arange(n)`, `jnp.array([0, 0])`. The warning says that this will be an error; of a `0.0`,
    which loses nothing, too.

    ## Instead
    Name the type where the buffer is made: `jnp.zeros(n, jnp.float32)`,
    `jnp.zeros_like(tokens, dtype=jnp.float32)`. Where whole numbers are meant convert the values:
    `x.at[i].set(y.astype(x.dtype))`.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                tokens = jnp.array([4, 2, 7])
                weights = jnp.zeros_like(tokens)
                weights = weights.at[1].set(jnp.float32(0.5))  # ! float-into-integer-array
            """,
            good="""
                import jax.numpy as jnp

                tokens = jnp.array([4, 2, 7])
                weights = jnp.zeros_like(tokens, dtype=jnp.float32)
                weights = weights.at[1].set(jnp.float32(0.5))
            """,
            shows="float(weights[1]) == 0.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("scattered"):
            dtype, how, whole = fault.text
            if whole:
                yield Foreseen(
                    (fault.path, fault.span),
                    f"the array is `{dtype}`, and `.at[...].{how}` is given the floating number "
                    f"`{whole}`: JAX warns that this will be an error; write a whole number",
                    fault.places,
                    fault.certain,
                    severity="info",
                )
                continue
            yield Foreseen(
                (fault.path, fault.span),
                f"the array is `{dtype}`, so `.at[...].{how}` cuts the fractions of these "
                "floating numbers off: make it a floating array",
                fault.places,
                fault.certain,
            )
