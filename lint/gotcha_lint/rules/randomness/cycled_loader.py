"""A loader that `itertools.cycle` goes through once."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class CycledLoader(Rule):
    """Repeats a loader of batches with `itertools.cycle`.

    ## What happens
    No error. `cycle` goes through the loader once, keeps all that it gives, and repeats that. The
    loader never shuffles again, nor augments: each epoch has the batches of the first, in their
    order. And all batches of the first epoch stay in memory, on the device where they are arrays of
    JAX.

    ## Instead
    Ask the loader again for each epoch:

    ```python
    def endless(loader):
        while True:
            yield from loader
    ```

    Or let the pipeline repeat: `dataset.shuffle(...).repeat()`.

    ## Not reported
    Lists and tuples, which are kept anyway.

    ## In a run
    Nothing; `device-memory-growth`, if the batches lie on the device.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                from itertools import cycle

                import jax.numpy as jnp
                import numpy as np


                class Loader:
                    def __init__(self, x, size):
                        self.x, self.size, self.rng = x, size, np.random.default_rng(0)

                    def __iter__(self):
                        order = self.rng.permutation(len(self.x))
                        for start in range(0, len(order) - self.size + 1, self.size):
                            yield jnp.asarray(self.x[order[start : start + self.size]])


                loader = Loader(np.arange(32.0), 8)
                batches = cycle(loader)  # ! cycled-loader
                first, *rest = [next(batches) for _ in range(5)]
            """,
            good="""
                from itertools import cycle

                import jax.numpy as jnp
                import numpy as np


                class Loader:
                    def __init__(self, x, size):
                        self.x, self.size, self.rng = x, size, np.random.default_rng(0)

                    def __iter__(self):
                        order = self.rng.permutation(len(self.x))
                        for start in range(0, len(order) - self.size + 1, self.size):
                            yield jnp.asarray(self.x[order[start : start + self.size]])


                loader = Loader(np.arange(32.0), 8)
                batches = (batch for _ in cycle([0]) for batch in loader)
                first, *rest = [next(batches) for _ in range(5)]
            """,
            shows="bool((first == rest[-1]).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for one in programs.cycled:
            yield Foreseen(
                (one.path, one.span),
                f"`cycle` keeps all that `{one.what}` gives and repeats it: each epoch has the "
                "batches of the first, and all stay in memory; ask the loader again for each epoch",
            )
