"""A result that an inner function stores, and that the function around it never gets."""

from collections.abc import Iterator

from gotcha_lint.patterns.local.missing_nonlocals import missing_nonlocals
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class MissingNonlocal(Rule):
    """Stores a result under a name of the outer function, without `nonlocal`.

    ## What happens
    No error. An assignment makes a name of the function that it stands in: a callback that says
    `best = state` has a `best` of its own, which ends with the call. The outer `best` keeps the
    value from before, `None` or the first weights, and so do the test, the log or the checkpoint
    that read it afterwards.

    ## Instead
    `nonlocal best` in the inner function; or let it return the value. In a function that JAX traces
    neither works: return the value from the traced function.

    ## Not reported
    Names that the inner function reads, or unpacks among others; a name that the outer function
    writes again before it reads it.

    ## In a run
    Nothing.

    ## References
    https://docs.python.org/3/reference/simple_stmts.html#the-nonlocal-statement
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def train(w, steps):
                    best = w

                    def on_step(w):
                        best = w  # ! missing-nonlocal

                    for _ in range(steps):
                        w = 0.5 * w
                        on_step(w)
                    return best


                w = train(jnp.ones(3), steps=4)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def train(w, steps):
                    best = w

                    def on_step(w):
                        nonlocal best
                        best = w

                    for _ in range(steps):
                        w = 0.5 * w
                        on_step(w)
                    return best


                w = train(jnp.ones(3), steps=4)
            """,
            shows="float(w[0]) == 1.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.origins.links.bodies(text.module):
                for one in missing_nonlocals(function):
                    name, inner, outer = one.name, one.inner.name, function.name
                    yield Foreseen(
                        (function.path, one.span),
                        f"this makes a `{name}` of `{inner}`, which nothing reads: the `{name}` "
                        f"of `{outer}` stays as it was; declare it `nonlocal`",
                        ((function.path, one.read, "this reads the outer one"),),
                    )
