"""A key that is split for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.computed import UNUSED_KEYS
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import listed
from gotcha_lint.solve.programs import Programs


class SplitDiscarded(Rule):
    """Splits a random key, or folds into it, and does not use the result.

    ## What happens
    No error: `jax.random.split(key)` does not advance the key, as a stateful generator would. The
    next draw gives the same numbers: an agent that split this way took five equal actions.

    `key, subkey = jax.random.split(key)`, and nothing reads `subkey`: a dispatch for nothing in
    each iteration, and the key that is drawn from is the one that the next split needs (a note).

    ## Instead
    `key, subkey = jax.random.split(key)`, and draw from `subkey`.

    ## Not reported
    Names that begin with an underscore; a new parent that nothing needs any more; tests.

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
        for fault in programs.faults.of(UNUSED_KEYS):
            how, parent, *names = fault.text
            advice = "split into fewer keys, or draw from all of them"
            if how:
                advice = "delete the line"
            elif parent:
                advice = f"draw from that key, not from `{parent}`, which the next split needs"
            if not is_test(fault.path):
                yield Foreseen(
                    (fault.path, fault.span),
                    f"nothing reads {listed(names)}, which this split makes: {advice}",
                    severity="info",
                )
        for place, use in sorted(programs.keys.dropped.items()):
            if not is_test(use.path):
                yield Foreseen(
                    place,
                    f"`{use.what.rpartition('.')[2]}` returns new keys and does not change the old "
                    "one: nothing uses its result",
                )
