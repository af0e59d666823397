"""Data is drawn from a generator that nothing seeds, while the key of JAX has a seed."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_benchmark, is_test
from gotcha_lint.interpret.faults.frozen import FROZEN
from gotcha_lint.patterns.data.unseeded_draws import unseeded_draws
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class UnseededDraw(Rule):
    """Draws batches or augmentations from numpy, Python, torch or TensorFlow without a seed.

    ## What happens
    A key of JAX always has a seed, so a run looks repeatable. `np.random.randint`,
    `random.shuffle`, `DataLoader(shuffle=True)` and `tf.image.random_crop` have generators of their
    own, which begin somewhere else in each process: two runs with the same seed see other data, and
    on several hosts each draws its own.

    ## Instead
    Give each place a generator made from the seed, `np.random.default_rng(seed)`; or seed the
    generators once where the key is made. To resume, save the generator's state, too.

    ## Not reported
    Projects in which any file calls something named after a seed; those that make no key; tests
    and benchmarks. One finding for each function.

    ## In a run
    Nothing.

    ## References
    https://numpy.org/doc/stable/reference/random/generator.html
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import jax
                import numpy as np

                data = np.arange(1000.0)


                def batch():
                    return data[np.random.randint(1000, size=8)]  # ! unseeded-draw


                def run(seed):
                    key = jax.random.key(seed)
                    return jax.random.uniform(key) + batch()


                same = np.array_equal(run(0), run(0))
            """,
            good="""
                import jax
                import numpy as np

                data = np.arange(1000.0)


                def batch(draws):
                    return data[draws.integers(1000, size=8)]


                def run(seed):
                    key, draws = jax.random.key(seed), np.random.default_rng(seed)
                    return jax.random.uniform(key) + batch(draws)


                same = np.array_equal(run(0), run(0))
            """,
            shows="not same",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            path = text.module.path
            if is_test(path) or is_benchmark(path):
                continue
            links, elsewhere = text.origins.links, programs.elsewhere
            frozen = {fault.span for fault in programs.faults.of(FROZEN) if fault.path == path}
            for function, draw in unseeded_draws(links, text.module, elsewhere, frozen):
                more = f", and {draw.more} more here" if draw.more else ""
                yield Foreseen(
                    (function.path, draw.span),
                    f"this draws from {draw.source}, which nothing seeds{more}: two runs with the "
                    "same key get other data",
                )
