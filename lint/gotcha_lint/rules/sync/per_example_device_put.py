from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class PerExampleDevicePut(Rule):
    """Puts the examples of a batch on the device one by one, and joins them there.

    ## What happens
    No error. Each `jnp.asarray(example)` or `jax.device_put(example)` is a transfer of its own, and
    `jnp.stack` of n arrays a program with n inputs, compiled again for each n. `jnp.stack` of
    arrays of numpy transfers each of them, too. On a CPU, 256 rows of 128 numbers took 31 ms one by
    one, 39 ms by `jnp.stack` alone, 3.3 ms as `jnp.asarray(rows)`, and 0.16 ms after `np.stack`.

    ## Instead
    `jnp.asarray(np.stack(examples))`, or `jax.device_put(np.stack(examples), sharding)`.

    ## Not reported
    Examples of which it is not known that they are on the host, but for those of a function that is
    called `collate`; functions that are traced; lists of a few that are written out. With `--all`
    only: a column of a batch that such a function stacks.

    ## In a run
    The sanitizer says nothing as long as there is one number of examples; where it changes,
    `eager-op-storm` tells of what compiles again.
    """

    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import numpy as np

                images = [np.full((4, 4), i, np.float32) for i in range(64)]
                rows = [jnp.asarray(image) for image in images]  # ! per-example-device-put
                batch = jnp.stack(rows)
            """,
            good="""
                import jax.numpy as jnp
                import numpy as np

                images = [np.full((4, 4), i, np.float32) for i in range(64)]
                batch = jnp.asarray(np.stack(images))
            """,
            unseen="the transfers cost time, and how much depends on the device",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("one by one"):
            join, *joins = fault.text
            what = (
                f"`{join}` puts each of these arrays on the device by itself, and joins them there"
                if joins
                else f"this is a transfer for each item that `{join}` joins on the device"
            )
            yield Foreseen(
                (fault.path, fault.span),
                f"{what}: join them with numpy, and put the whole on the device at once",
                fault.places,
                fault.certain,
            )
