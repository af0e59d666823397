"""A batch of one host, split over the devices of all."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import SPLIT_BY_ALL
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DeviceCountOfAllHosts(Rule):
    """Splits a batch for `jax.pmap` by the number of devices of all hosts.

    ## What happens
    On one host nothing. `jax.device_count()` and `len(jax.devices())` count the devices of all
    processes, and `jax.pmap` maps over those of its own: with two hosts of eight devices the batch
    has sixteen parts, and `pmap` raises a `ValueError`: "compiling computation that requires 16
    logical devices, but only 8 XLA devices are available".

    ## Instead
    `jax.local_device_count()`, and of the data the share of this host (`jax.process_index()`).

    ## Not reported
    Counts by which something is divided (`batch_size // jax.device_count()`), which is right for
    the size of the whole batch; files without `pmap`.

    ## In a run
    Nothing on one host.
    """

    severity = "info"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp

                devices = jax.device_count()  # ! device-count-of-all-hosts
                step = jax.pmap(lambda x: 2 * x)


                def train(batch):
                    return step(batch.reshape(devices, -1))


                out = train(jnp.ones(8 * devices))
            """,
            good="""
                import jax
                import jax.numpy as jnp

                devices = jax.local_device_count()
                step = jax.pmap(lambda x: 2 * x)


                def train(batch):
                    return step(batch.reshape(devices, -1))


                out = train(jnp.ones(8 * devices))
            """,
            unseen="it takes more than one host",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SPLIT_BY_ALL):
            yield Foreseen(
                (fault.path, fault.span),
                "this counts the devices of all hosts, and `pmap` maps over those of its own: use "
                "`jax.local_device_count()`",
                fault.places,
                fault.certain,
            )
