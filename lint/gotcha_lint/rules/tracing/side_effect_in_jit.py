"""print and logging of traced values."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.texts import FORMATTED, SHOWN
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import place_in
from gotcha_lint.solve.programs import Programs
from gotcha_lint.solve.remarks import Fault


class SideEffectInJit(Rule):
    """Prints, logs or formats a traced value.

    ## What happens
    Python runs only while the function is traced, so the line appears once per compilation, not
    once per call (1 print in 5 steps), and shows `JitTracer(float32[])` instead of a number. A
    format with a specification, `f"{loss:.3f}"`, raises `TypeError: unsupported format string
    passed to DynamicJaxprTracer.__format__`.

    ## Instead
    `jax.debug.print("{}", loss)`, or return the value and print it outside.

    ## Not reported
    Text without a traced value: a common way to see when a function is traced; so is a note of
    the call itself, `logging.info("step(batch=%s)", batch)` in `step`. Messages of exceptions.
    """

    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(x):
                    loss = jnp.sum(x**2)
                    print(f"loss {loss:.3f}")  # ! side-effect-in-jit
                    return x - loss


                step(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(x):
                    loss = jnp.sum(x**2)
                    jax.debug.print("loss {:.3f}", loss)
                    return x - loss


                step(jnp.ones(3))
            """,
            raises="TypeError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        formatted, shown = programs.faults.of(FORMATTED), programs.faults.of(SHOWN)
        for fault in shown:
            message = "`{}` runs once, while tracing, and shows a tracer: use `jax.debug.print`"
            if any(_is_within(each, fault) for each in formatted):
                message = (
                    "`{}` formats a traced value, which has no value yet: this raises TypeError"
                )
            here, quotes = (fault.path, fault.span), (place_in(fault),)
            yield Foreseen(here, message, fault.places, fault.certain, quotes=quotes)
        for fault in formatted:
            if not any(_is_within(fault, each) for each in shown):
                here = fault.path, fault.span
                message = "`{}` needs the digits of a traced value"
                if fault.text[0]:
                    message = "a format specification cannot show the traced `{}`"
                yield Foreseen(here, message, fault.places, fault.certain, quotes=(here,))


def _is_within(inner: Fault, outer: Fault) -> bool:
    first, last = outer.span[:2], outer.span[2:]
    return inner.path == outer.path and first <= inner.span[:2] and inner.span[2:] <= last
