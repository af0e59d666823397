from collections.abc import Iterator

from gotcha_lint.interpret.faults.traced import BOUND, SIZE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import place_in
from gotcha_lint.solve.programs import Programs


class TracedShape(Rule):
    """Uses a traced array as a size: a shape, a `range`, a slice bound, a number of classes.

    ## What happens
    Shapes are part of the compiled program, so they cannot depend on values that are not there yet.
    The messages differ: `range(n)` raises `TracerIntegerConversionError`, `jnp.arange(n)` and
    `one_hot` raise `ConcretizationTypeError`, `jnp.zeros(n)` and `reshape(n, -1)` raise
    `TypeError: Shapes must be 1D sequences of concrete values of integer type`, `x[:n]` raises
    `IndexError: ... Slice entries must be static integers`, `jax.random.split(key, n)` says that
    `parameters to jaxpr equations must have __hash__ and __eq__`.

    ## Instead
    Take the size from a `.shape`, or declare the argument in `static_argnames` (a new value then
    compiles again). For a window of fixed width at a traced position use `jax.lax.dynamic_slice`;
    for a length that varies, pad and mask: `jnp.where(jnp.arange(m) < n, x, 0)`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerIntegerConversionError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def positions(n):
                    return jnp.arange(n)  # ! traced-shape


                positions(3)
            """,
            good="""
                from functools import partial

                import jax
                import jax.numpy as jnp


                @partial(jax.jit, static_argnames="n")
                def positions(n):
                    return jnp.arange(n)


                positions(3)
            """,
            raises="ConcretizationTypeError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SIZE, BOUND):
            here = fault.path, fault.span
            if fault.kind == SIZE:
                message = (
                    "`{}` is a traced value, and `{}` needs a size that is known while tracing"
                )
                quotes = (here, place_in(fault))
            else:
                message = (
                    "`{}` has a traced slice bound: the length of a slice must be known while "
                    "tracing; use `jax.lax.dynamic_slice`"
                )
                quotes = (here,)
            yield Foreseen(here, message, fault.places, fault.certain, quotes=quotes)
