"""A training loop asks for its end by a test that never holds."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.training.last_turns import never_true
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class EndTestNeverTrue(Rule):
    """Compares the counter of a loop with the end of its range, which it never reaches.

    ## What happens
    `for epoch in range(epochs)` ends at `epochs - 1`, so `epoch == epochs` is false in each turn:
    the last checkpoint is not written, the last evaluation does not run. It shows only where the
    other part of the test, such as `(epoch + 1) % every == 0`, does not happen to hold at the end:
    the weights of the last epochs are lost.

    ## Instead
    `epoch == epochs - 1`, or `epoch + 1 == epochs`; or save once more after the loop.

    ## Not reported
    Loops that write the counter or the end; ends that are computed; loops that count down.

    ## In a run
    Nothing.

    ## References
    https://docs.python.org/3/library/stdtypes.html#ranges
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w):
                    return 0.9 * w


                epochs, saved = 5, []
                w = jnp.ones(3)
                for epoch in range(epochs):
                    w = step(w)
                    if (epoch + 1) % 2 == 0 or epoch == epochs:  # ! end-test-never-true
                        saved.append((epoch, w))
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def step(w):
                    return 0.9 * w


                epochs, saved = 5, []
                w = jnp.ones(3)
                for epoch in range(epochs):
                    w = step(w)
                    if (epoch + 1) % 2 == 0 or epoch == epochs - 1:
                        saved.append((epoch, w))
            """,
            shows="saved[-1][0] != epochs - 1",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            for function in text.origins.links.bodies(text.module):
                for found in never_true(text.origins.links, function):
                    yield Foreseen(
                        (function.path, found.span),
                        f"`{found.counter}` ends at `{found.end} - 1`, so this is never true: ask "
                        f"for `{found.counter} + 1`",
                        ((function.path, found.loop, "it goes through this range"),),
                    )
