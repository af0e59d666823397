"""A tracer kept where it outlives its trace."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.leaks import INTO_ARGUMENT, LEAKED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import place_in
from gotcha_lint.solve.programs import Programs


class LeakedTracer(Rule):
    """Keeps a traced value in a list, an attribute or a global that outlives the trace.

    ## What happens
    The place keeps a tracer, one per compilation instead of one value per call (1 of 5 logged), and
    using it later raises `UnexpectedTracerError: Encountered an unexpected tracer`. Printing it
    works, which hides the fault. `jax.checking_leaks()` finds such places at run time. A loss that
    stores what it is differentiated by into another argument, as in `params["w"] = w`, changes the
    dictionary of its caller: `jax.grad` hands the other arguments on as they are.

    ## Instead
    Return the value from the traced function, and store it outside.

    ## Not reported
    Variables of Flax modules, `self.sow`, and references (`jax.new_ref`, Pallas).

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.UnexpectedTracerError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                losses = []


                @jax.jit
                def step(w):
                    loss = jnp.sum(w**2)
                    losses.append(loss)  # ! leaked-tracer
                    return w - 0.1 * w


                step(jnp.ones(3))
                total = losses[0] + 1.0
            """,
            good="""
                import jax
                import jax.numpy as jnp

                losses = []


                @jax.jit
                def step(w):
                    loss = jnp.sum(w**2)
                    return w - 0.1 * w, loss


                losses.append(step(jnp.ones(3))[1])
                total = losses[0] + 1.0
            """,
            raises="UnexpectedTracerError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LEAKED, INTO_ARGUMENT):
            if fault.kind == LEAKED:
                message = "`{}` keeps a traced value and outlives the trace: return it instead"
            else:
                message = (
                    "`{}` keeps the tracer of the gradient in a container of the caller, which "
                    "outlives the gradient: store it into a copy"
                )
            here, quotes = (fault.path, fault.span), (place_in(fault),)
            yield Foreseen(here, message, fault.places, fault.certain, quotes=quotes)
