from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.local.few_of_sorted import few_of_sorted
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class SortForTopK(Rule):
    """Sorts a whole array to take the first or the last few elements of it.

    ## What happens
    `jnp.argsort(scores)[-k:]` sorts all elements, and drops all but `k` of them. Measured on a CPU,
    under `jit`: three of 50,257 took 21 ms, and 0.08 ms with `jax.lax.top_k`; ten of each row of a
    thousand by a thousand 450 ms, and 10 ms; half of 50,257 42 ms, and 19 ms. `jnp.argpartition`
    took up to four times as long as `top_k`.

    ## Instead
    `values, indices = jax.lax.top_k(scores, k)`: the largest, the first of them largest. For the
    smallest: `jax.lax.top_k(-scores, k)`. Of equal elements, `top_k` takes the first ones, and
    `argsort(...)[-k:]` the last ones.

    ## Not reported
    An axis other than the last; sorted arrays that are read elsewhere, too; methods
    (`scores.argsort()`); tests.

    ## In a run
    The sanitizer says nothing: the result is right.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.lax.top_k.html
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def best(scores):
                    return jnp.argsort(scores, axis=-1)[:, -5:]  # ! sort-for-top-k


                found = best(jax.random.normal(jax.random.key(0), (64, 5000)))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def best(scores):
                    return jax.lax.top_k(scores, 5)[1]


                found = best(jax.random.normal(jax.random.key(0), (64, 5000)))
            """,
            unseen="both find the same elements; what differs is the time",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.module.functions:
                if is_test(function.path):
                    continue
                for found in few_of_sorted(text.origins, function):
                    which = "largest" if found.at_end else "smallest"
                    given = "x" if found.at_end else "-x"
                    yield Foreseen(
                        (function.path, found.span),
                        f"`{found.called}` sorts all elements to take the {which}: "
                        f"`jax.lax.top_k({given}, k)` finds them without",
                    )
