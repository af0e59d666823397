"""Handlers that take whatever is raised, and what they do with it."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.swallowed import SWALLOWED, TRIED_OUTSIDE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import place_in
from gotcha_lint.solve.programs import Programs


class TracerErrorSwallowed(Rule):
    """Catches the error of a traced array that is asked for its value, and goes on without it.

    ## What happens
    While a function is traced, `float(x)`, `if x > 0` and numpy raise, whatever the arrays hold. A
    broad `except` takes that error for the rare one it was written for, and its fallback is what is
    compiled: at every call, for all values, without a message. Under `jax.disable_jit()` the same
    code does what it should.

    ## Instead
    Stay with `jnp` and `jnp.where`, which need no value; catch the one error that is meant, outside
    of the traced function.

    ## Not reported
    A handler that raises, that gives `None`, or whose text shows that it knows of tracing; an array
    that is asked and whose answer is not used; functions that are called outside of a trace too;
    tests.

    ## In a run
    Nothing: the error never leaves the `try`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.ConcretizationTypeError
    """

    severity = "error"
    doubts = ("traced", "tracing", "concret", "abstract", "jit", "compil", "static", "symbolic")
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def normalise(gradients):
                    try:
                        norm = float(jnp.linalg.norm(gradients))
                    except Exception:  # ! tracer-error-swallowed
                        norm = 1.0
                    return gradients / norm


                normal = normalise(jnp.array([3.0, 4.0]))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def normalise(gradients):
                    norm = jnp.linalg.norm(gradients)
                    return gradients / jnp.where(norm > 0, norm, 1.0)


                normal = normalise(jnp.array([3.0, 4.0]))
            """,
            shows="float(jnp.linalg.norm(normal)) > 2",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        outside = {(fault.path, fault.span) for fault in programs.faults.of(TRIED_OUTSIDE)}
        for fault in programs.faults.of(SWALLOWED):
            here = fault.path, fault.span
            if here not in outside:
                yield Foreseen(
                    here,
                    "`{}` needs the value of a traced array: it raises in every trace, this "
                    "catches the error, and the fallback is compiled",
                    fault.places,
                    fault.certain,
                    quotes=(place_in(fault),),
                )
