"""A key that is split for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class SplitDiscarded(Rule):
    """Splits a random key, or folds into it, and does not use the result.

    ## What happens
    No error: `jax.random.split(key)` does not advance the key, as a stateful generator would. The
    next draw gives the same numbers: an agent that split this way took five equal actions.

    ## Instead
    `key, subkey = jax.random.split(key)`, and draw from `subkey`.

    ## References
    https://docs.jax.dev/en/latest/random-numbers.html
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax

                key = jax.random.key(0)
                first = jax.random.uniform(key)
                jax.random.split(key)  # ! split-discarded
                second = jax.random.uniform(key)  # gotcha: allow[key-reuse] known
            """,
            good="""
                import jax

                key, subkey = jax.random.split(jax.random.key(0))
                first = jax.random.uniform(subkey)
                key, subkey = jax.random.split(key)
                second = jax.random.uniform(subkey)
            """,
            shows="bool(first == second)",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for place, use in sorted(programs.keys.dropped.items()):
            if not is_test(use.path):
                yield Foreseen(
                    place,
                    f"`{use.what.rpartition('.')[2]}` returns new keys and does not change the old "
                    "one: nothing uses its result",
                )
