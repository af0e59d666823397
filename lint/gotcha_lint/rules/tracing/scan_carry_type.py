"""The carry of a loop of JAX comes back with another type, shape or structure."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ScanCarryType(Rule):
    """Gives back another type than it was given, as the carry of `scan` or of a loop.

    ## What happens
    `scan body function carry input and carry output must have equal types`: a `TypeError` at the
    first call. A counter that starts as `jnp.zeros((), jnp.int32)` and gets floating numbers added,
    a state in `bfloat16` that a `float32` product replaces, a list that grows. Python numbers are
    weakly typed: `0` may come back as a `float32`.

    ## Instead
    Start with the type that comes back: `jnp.zeros((), jnp.float32)`, `jnp.zeros_like(x)`; or
    convert at the end of the body: `new.astype(old.dtype)`.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def total(xs):
                    def add(carry, x):
                        return carry + x, carry

                    start = jnp.zeros((), jnp.int32)
                    return jax.lax.scan(add, start, xs)  # ! scan-carry-type


                total(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def total(xs):
                    def add(carry, x):
                        return carry + x, carry

                    start = jnp.zeros((), jnp.float32)
                    return jax.lax.scan(add, start, xs)


                total(jnp.ones(3))
            """,
            raises="carry input and carry output must have equal types",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("carry"):
            loop, leaf, before, after = fault.text
            which = f"`carry{leaf}`" if leaf else "the carry"
            yield Foreseen(
                (fault.path, fault.span),
                f"{which} of this `{loop}` goes in with {before} and comes back with {after}: this "
                "raises a `TypeError`; start with what comes back, or convert it in the body",
                fault.places,
                fault.certain,
            )
