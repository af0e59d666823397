"""An array that is computed, kept under a name, and never read."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import UNUSED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_WHAT = {
    "layer": "the result of `{word}`",
    "function": "the result of `{word}`",
    "arithmetic": "the result",
}


class UnusedResult(Rule):
    """Computes an array and never reads it.

    ## What happens
    No error. `h = self.norm(x)`, and then the next layer gets `x`: the norm has no effect, and its
    parameters get no gradient. `x = shared + routed`, and then `routed` is returned: the residual
    is lost. JAX removes such operations from a compiled program, so not even the time shows them;
    outside of `jax.jit` they cost what they cost. That the name was read before, with another
    value, hides the fault from checks of unused variables.

    ## Instead
    Use the result, or delete the line. A name that begins with an underscore says that it is meant.

    ## Not reported
    - names that an inner function, a loop's next iteration, or a handler of an exception may read;
    - calls of functions that are not of JAX, which may do something else;
    - functions that measure time;
    - tests.

    Arrays that are made of nothing but numbers, as by `jnp.arange`, and values that a later line
    replaces, are shown with `--all`.

    ## In a run
    Nothing.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def residual(x, w):
                    y = jnp.tanh(x @ w)
                    x = x + y  # ! unused-result
                    return y


                x = jnp.ones((2, 4))
                jaxpr = jax.make_jaxpr(residual)(x, jnp.zeros((4, 4)))
                out = jax.jit(residual)(x, jnp.zeros((4, 4)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def residual(x, w):
                    y = jnp.tanh(x @ w)
                    x = x + y
                    return x


                x = jnp.ones((2, 4))
                jaxpr = jax.make_jaxpr(residual)(x, jnp.zeros((4, 4)))
                out = jax.jit(residual)(x, jnp.zeros((4, 4)))
            """,
            shows="float(out.sum()) == 0.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(UNUSED):
            name, of, word = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"{_WHAT[of].format(word=word)} is kept as `{name}`, and nothing reads it: use it, "
                "or delete the line",
                fault.places,
                fault.certain,
            )
