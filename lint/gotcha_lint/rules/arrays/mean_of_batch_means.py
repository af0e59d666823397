"""An evaluation averages what its batches gave, whatever their sizes."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.training.batch_means import batch_means
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import variations
from gotcha_lint.solve.programs import Programs


class MeanOfBatchMeans(Rule):
    """Averages the losses of the batches of an evaluation, of which the last may be smaller.

    ## What happens
    `total / len(loader)` and `np.mean(losses)` give each batch the same weight. A loader that keeps
    the rest of the data as a last, smaller batch lets its few examples count as much as a whole
    batch: the reported loss or accuracy is not that of the data set, and it changes with the size
    of the batches. For a root of a mean, a perplexity or a correlation it is wrong with equal
    batches, too.

    ## Instead
    Return sums from the step, add the sums and the numbers of examples (or of tokens that are not
    masked), and divide once; or multiply by the size of the batch; or drop the last batch where
    that may be.

    ## Not reported
    Where it is not known that the last batch is smaller, and that a batch gives a mean, it is a
    note of `--all`. Loops that train; values that are multiplied by anything before they are added;
    loaders that are made beside the loop with `drop_last` or `drop_remainder`.

    ## In a run
    Nothing.

    ## References
    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def loss(w, batch):
                    return jnp.mean((w - batch) ** 2)


                data, losses = jnp.arange(5.0), []
                for start in range(0, len(data), 4):
                    losses.append(loss(0.0, data[start : start + 4]))
                mean = sum(losses) / len(losses)  # ! mean-of-batch-means
            """,
            good="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def loss(w, batch, is_data):
                    return jnp.sum((w - batch) ** 2, where=is_data)


                data, total = jnp.arange(5.0), 0.0
                padded, is_data = jnp.pad(data, (0, 3)), jnp.arange(8) < 5
                for start in range(0, 8, 4):
                    rows = slice(start, start + 4)
                    total += loss(0.0, padded[rows], is_data[rows])
                mean = total / len(data)
            """,
            shows="float(mean) != float(jnp.mean(data**2))",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            if is_test(text.module.path):
                continue
            path = text.module.path
            ragged = {
                one.call.span: row.function
                for row, one in variations(programs, "ragged")
                if one.certain and one.call.path == path
            }
            for function in text.origins.links.bodies(text.module):
                for found in batch_means(text.origins.links, function, ragged):
                    yield Foreseen(
                        (path, found.span),
                        f"this gives each batch of `{found.data}` the same weight: a smaller last "
                        "one counts as much as the others; add up sums and counts, and divide once",
                        ((path, found.added, "what a batch gave is added here"),),
                        certain=found.certain,
                    )
