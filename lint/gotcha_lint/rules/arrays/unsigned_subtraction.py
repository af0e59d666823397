"""The difference of unsigned bytes wraps around."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class UnsignedSubtraction(Rule):
    """Subtracts arrays of `uint8` or `uint16`: what is negative wraps around.

    ## What happens
    `3 - 5` of `uint8` is 254. The difference of two images, the distance of two pixels or a step of
    an environment's counter is large where it should be small and negative. Nothing is reported.

    ## Instead
    Convert first: `a.astype(jnp.int32) - b.astype(jnp.int32)`, or to a floating type.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp

                before = jnp.array([5, 7], jnp.uint8)
                after = jnp.array([3, 9], jnp.uint8)
                change = after - before  # ! unsigned-subtraction
            """,
            good="""
                import jax.numpy as jnp

                before = jnp.array([5, 7], jnp.uint8)
                after = jnp.array([3, 9], jnp.uint8)
                change = after.astype(jnp.int32) - before.astype(jnp.int32)
            """,
            shows="int(change[0]) > 0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("wraps"):
            (dtype,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"both sides are `{dtype}`, so a negative difference wraps around to a large "
                "number: convert to a signed or floating type first",
                fault.places,
                fault.certain,
            )
