"""A pipeline that shuffles batches, not examples."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ShuffleAfterBatch(Rule):
    """Shuffles a pipeline of data after it has made batches.

    ## What happens
    No error. The same examples stay together in every epoch, in the order of the files; only the
    order of the batches differs. Where the files are sorted, each batch is of one class. The buffer
    of `tf.data` holds whole batches, too: `shuffle(10_000)` keeps ten thousand of them.

    ## Instead
    `dataset.shuffle(...).batch(...)`.

    ## Not reported
    Pipelines that shuffle their examples before as well; batches that are taken apart again
    (`unbatch`, `flat_map`), or are put into batches again, as sequences are.

    ## In a run
    Nothing.
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import grain
                import jax.numpy as jnp

                data = grain.MapDataset.source(list(range(64)))
                batches = data.batch(8).shuffle(seed=0)  # ! shuffle-after-batch
                first = jnp.asarray(batches[0])
            """,
            good="""
                import grain
                import jax.numpy as jnp

                data = grain.MapDataset.source(list(range(64)))
                batches = data.shuffle(seed=0).batch(8)
                first = jnp.asarray(batches[0])
            """,
            shows="int(first[-1] - first[0]) == 7",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for late in programs.shuffles:
            yield Foreseen(
                (late.path, late.span),
                "this shuffles whole batches: the same examples stay together in each of them; "
                "shuffle before `batch`",
                ((late.path, late.batched, "the batches are made here"),),
            )
