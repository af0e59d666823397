from collections.abc import Iterator

from gotcha_lint.analysis.sites import Body, Call, Test
from gotcha_lint.analysis.syntax import source_of
from gotcha_lint.analysis.values import is_tracer
from gotcha_lint.queries.traced import abstract, guarded, is_flag
from gotcha_lint.rule import Example, Foreseen, Report, Rule, text_of
from gotcha_lint.solve.programs import Programs


class TracedIf(Rule):
    """Asks a traced array for its truth value: `if`, `while`, `assert`, `and`, `or`, `not`, `max`.

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

    def check(self, site: Body) -> Iterator[Report]:
        if not abstract(site):
            return
        for test in site.of(Test):
            if is_tracer(test.value) and not is_flag(test) and not guarded(test):
                yield Report(
                    test.node,
                    f"`{text_of(test.node)}` is a traced array: Python's `{test.what}` cannot "
                    "branch on it",
                    why_traced=True,
                )
        for call in site.of(Call):
            if _compares(call) and not guarded(call):
                word = call.name.rpartition(".")[2]
                yield Report(
                    call.node,
                    f"Python's `{word}` asks which is larger, and `{source_of(call.node)}` gives "
                    f"it a traced array: use `jnp.{word}imum`",
                    why_traced=True,
                )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("test"):
            yield Foreseen(
                (fault.path, fault.span),
                "Python's `if` asks for the value of a traced array, which it does not have yet: "
                "use `jnp.where` or `lax.cond`",
                fault.places,
                fault.certain,
            )


def _compares(call: Call) -> bool:
    """`max(x, 1.0)` of a traced x."""
    named = call.name in ("builtins.max", "builtins.min") and not call.decorator
    return named and len(call.args) > 1 and not call.kwargs and any(map(is_tracer, call.args))
