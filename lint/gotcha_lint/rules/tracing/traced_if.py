from collections.abc import Iterator

import libcst as cst

from gotcha_lint.analysis.sites import Test
from gotcha_lint.analysis.values import is_tracer
from gotcha_lint.queries.traced import abstract, guarded
from gotcha_lint.rule import Example, Report, Rule, text_of


class TracedIf(Rule):
    """Asks a traced array for its truth value: `if`, `while`, `assert`, `and`, `or`, `not`.

    ## What happens
    `TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[].`
    While a function is traced its arrays have no values, so Python cannot choose a branch.

    ## Instead
    Select with `jnp.where` or `jax.lax.cond`, or loop with `jax.lax.while_loop`. If the argument is
    a setting rather than data, declare it in `static_argnames`.

    ## References
    https://docs.jax.dev/en/latest/errors.html#jax.errors.TracerBoolConversionError
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def clip(x):
                    if jnp.sum(x) > 1.0:  # ! traced-if
                        x = x / jnp.sum(x)
                    return x


                clip(jnp.ones(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def clip(x):
                    total = jnp.sum(x)
                    return jnp.where(total > 1.0, x / total, x)


                clip(jnp.ones(3))
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def check(self, site: Test) -> Iterator[Report]:
        if not is_tracer(site.value) or not abstract(site.body) or _flag(site) or guarded(site):
            return
        yield Report(
            site.node,
            f"`{text_of(site.node)}` is a traced array: Python's `{site.what}` cannot branch on it",
            why_traced=True,
        )


def _flag(site: Test) -> bool:
    """A parameter annotated as bool, of a helper: its callers give it True or False."""
    trace = site.body.trace
    name = site.node.value if isinstance(site.node, cst.Name) else ""
    annotations = [p.annotation for p in site.body.function.params if p.name == name]
    helper = trace is not None and not trace.direct
    return helper and any(a is not None and "bool" in text_of(a) for a in annotations)
