"""Code that a loader of data runs for each example."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import PER_EXAMPLE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class JnpInDataPipeline(Rule):
    """Computes with `jax.numpy` for each example, in what a data loader calls.

    ## What happens
    No error in one process. Each call is sent to the device by itself, and what it gives goes back
    to the host to be put into a batch. In worker processes each of them starts JAX of its own,
    which takes memory of the device; those that torch forks are warned of: `os.fork() was called.
    os.fork() is incompatible with multithreaded code, and JAX is multithreaded, so this will likely
    lead to a deadlock.`

    ## Instead
    Numpy for each example, and `jax.device_put` of the whole batch; or do it within the jitted
    step, for all of the batch.

    ## Not reported
    Classes that derive from no dataset or transformation of torch or Grain, except a `__getitem__`
    beside a `__len__` that puts what it has on the device; functions, but for those that only
    `webdataset.map` is given; functions given as `collate_fn`, which run once for each batch; calls
    of jitted functions; types such as `jnp.float32`.

    ## In a run
    The sanitizer says nothing as long as examples have one shape; where each has its own,
    `eager-op-storm` tells of what compiles again.
    """

    examples = (
        Example(
            bad="""
                import grain
                import jax.numpy as jnp


                class Normalise(grain.transforms.Map):
                    def map(self, image):
                        image = jnp.asarray(image) / 255  # ! jnp-in-data-pipeline
                        return (image - jnp.mean(image)) / jnp.std(image)
            """,
            good="""
                import grain
                import numpy as np


                class Normalise(grain.transforms.Map):
                    def map(self, image):
                        image = np.asarray(image) / 255
                        return (image - np.mean(image)) / np.std(image)
            """,
            unseen="it costs time for each example, and in each process of the loader",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(PER_EXAMPLE):
            here, (others,) = (fault.path, fault.span), fault.text
            more = "" if others == "0" else f", and {others} more here,"
            yield Foreseen(
                here,
                f"`{{}}`{more} runs on the device for each example that the loader asks for: use "
                "numpy here, and put the whole batch on the device",
                fault.places,
                fault.certain,
                quotes=(here,),
            )
