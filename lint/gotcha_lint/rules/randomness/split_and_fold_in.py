from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.domain.sites import Origin
from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.compiled_functions import Place
from gotcha_lint.solve.keys import Reuse
from gotcha_lint.solve.programs import Programs

_SINCE = (0, 5)  # partitionable by default: 0.4.30 gives other keys


class SplitAndFoldIn(Rule):
    """Splits a key, and folds small numbers into the same key: both give the same keys.

    ## What happens
    `jax.random.fold_in(key, i)` is `jax.random.split(key, n)[i]`, bit for bit, since jax 0.5, where
    threefry is partitionable by default. After `a, b = split(key)` the keys of the steps 0 and 1,
    made by `fold_in(key, step)`, are `a` and `b` once more: the first dropout mask repeats the
    numbers that the weights began with. Nothing fails.

    ## Instead
    Use each key one way: `key, steps = jax.random.split(key)`, and `fold_in(steps, step)`.

    ## Not reported
    Numbers that are not seen to begin at 0, as hashes, and those that are written out and are not
    below the number of keys; the two on different branches; code for older releases (`target-jax`);
    tests.

    ## In a run
    Nothing: the two keys are made by different operations.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax

                key = jax.random.key(0)
                weights_key, data_key = jax.random.split(key)
                weights = jax.random.normal(weights_key, (4,))
                noise = []
                for step in range(3):
                    step_key = jax.random.fold_in(key, step)  # ! split-and-fold-in
                    noise.append(jax.random.normal(step_key, (4,)))
            """,
            good="""
                import jax

                key = jax.random.key(0)
                weights_key, data_key, noise_key = jax.random.split(key, 3)
                weights = jax.random.normal(weights_key, (4,))
                noise = []
                for step in range(3):
                    step_key = jax.random.fold_in(noise_key, step)
                    noise.append(jax.random.normal(step_key, (4,)))
            """,
            shows="bool((noise[0] == weights).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        if self.options.target_jax < _SINCE:
            return
        seen: set[Origin] = set()
        for reuse in sorted(programs.keys.found, key=lambda reuse: not reuse.certain):
            if reuse.folded and reuse.at not in seen and not is_test(reuse.now.path):
                seen.add(reuse.at)
                yield Foreseen(
                    reuse.at,
                    "`fold_in(key, i)` is `split(key, n)[i]`, and this key is split too: the same "
                    "keys again",
                    tuple(places(reuse)),
                    reuse.certain,
                )


def places(reuse: Reuse) -> Iterator[Place]:
    """Where the key is split, and what the two calls come to."""
    yield (*reuse.before, "split here")
    if reuse.before != reuse.first.place:
        yield (*reuse.first.place, "the split, within that call")
    if reuse.at != reuse.now.place:
        yield (*reuse.now.place, "folded here")
