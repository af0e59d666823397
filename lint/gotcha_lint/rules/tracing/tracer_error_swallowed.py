from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Body
from gotcha_lint.analysis.syntax import source_of, walk
from gotcha_lint.queries.swallowed import asks, swallows
from gotcha_lint.queries.traced import surely_traced
from gotcha_lint.rule import Example, Report, Rule


class TracerErrorSwallowed(Rule):
    """Catches the error of a traced array that is asked for its value, and goes on without it.

    ## What happens
    While a function is traced, `float(x)`, `if x > 0` and numpy raise, whatever the arrays hold. A
    broad `except` takes that error for the rare one it was written for, and its fallback is what is
    compiled: at every call, for all values, and without a word. Under `jax.disable_jit()` the same
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
    roots = frozenset({"except"})
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

    def check(self, site: Body) -> Iterator[Report]:
        if not surely_traced(site) or site.hosted:
            return
        for node in walk(site.function.node, into_functions=False):
            handler = swallows(node) if isinstance(node, cst.Try) else None
            asked = next(asks(site, node), None) if handler and isinstance(node, cst.Try) else None
            if handler is not None and asked is not None:
                yield Report(
                    handler.type or handler,
                    f"`{source_of(asked.node)}` needs the value of a traced array: it raises in "
                    "every trace, this catches the error, and the fallback is compiled",
                    places=((asked.node, "raises while traced"),),
                    why_traced=True,
                )
