"""A training loop asks whether a result is the best, when it is among the results already."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.training.own_records import own_records
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class BestTestNeverTrue(Rule):
    """Compares a result with the best of a list that the result was appended to before.

    ## What happens
    `scores.append(loss)` and then `loss < min(scores)`: the least of the list is at most `loss`, so
    the test is false in each turn. No checkpoint of the best model is written, or only the one of
    the first turn, where another part of the test lets it through; a stop that counts the turns
    without progress comes too early.

    ## Instead
    Ask before the value is appended, or ask `loss <= min(scores)`, or keep the best in a name of
    its own.

    ## Not reported
    Lists that are made shorter or bound again in between; values that were changed.

    ## In a run
    Nothing.

    ## References
    https://docs.python.org/3/library/functions.html#min
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w):
                    return 0.9 * w, jnp.sum(w**2)


                losses, saved = [], []
                w = jnp.ones(3)
                for epoch in range(5):
                    w, loss = step(w)
                    losses.append(float(loss))
                    if len(losses) == 1 or loss < min(losses):  # ! best-test-never-true
                        saved.append((epoch, w))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w):
                    return 0.9 * w, jnp.sum(w**2)


                losses, saved = [], []
                w = jnp.ones(3)
                for epoch in range(5):
                    w, loss = step(w)
                    if not losses or loss < min(losses):
                        saved.append((epoch, w))
                    losses.append(float(loss))
            """,
            shows="len(saved) == 1",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function in text.origins.links.bodies(text.module):
                for found in own_records(text.origins.links, function):
                    yield Foreseen(
                        (function.path, found.span),
                        f"`{found.values}` holds `{found.value}` already, so this is never true: "
                        "ask before it is appended",
                        ((function.path, found.added, "it is appended here"),),
                    )
