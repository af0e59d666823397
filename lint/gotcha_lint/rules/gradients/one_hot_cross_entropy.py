from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.patterns.training.one_hot_losses import one_hot_losses
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class OneHotCrossEntropy(Rule):
    """Makes labels one-hot for a cross entropy, which picks one number of each row.

    ## What happens
    `one_hot(labels, classes)` is as large as the logits, and so is its product with their
    `log_softmax`; all but one number of each row are zero. Measured on a CPU, the loss and its
    gradient under `jit`: 512 rows of 50,257 classes took 280 ms and 206 MB beside the logits, and
    with whole-number labels 107 ms and next to nothing; 1,024 rows of 1,000 classes 3.3 ms and
    8 MB, and 0.6 ms. With ten classes there is no difference.

    ## Instead
    `optax.softmax_cross_entropy_with_integer_labels(logits, labels)`; or
    `jnp.take_along_axis(log_probs, labels[..., None], axis=-1)`. Of a label that is no class, such
    as -1, `one_hot` makes zeros: such rows need a mask, and a label that is one.

    ## Not reported
    Labels that are smoothed or mixed; tests. With `--all` only: less than 256 classes, or a number
    that is not known and not called that of a vocabulary.

    ## In a run
    The sanitizer says nothing: the result is right.

    ## References
    https://optax.readthedocs.io/en/latest/api/losses.html
    """

    severity = "info"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                @jax.jit
                def loss(logits, labels):
                    targets = jax.nn.one_hot(labels, 4096)  # ! one-hot-cross-entropy
                    return -jnp.mean(jnp.sum(targets * jax.nn.log_softmax(logits), axis=-1))


                found = loss(jnp.ones((32, 4096)), jnp.arange(32))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax


                @jax.jit
                def loss(logits, labels):
                    losses = optax.softmax_cross_entropy_with_integer_labels(logits, labels)
                    return jnp.mean(losses)


                found = loss(jnp.ones((32, 4096)), jnp.arange(32))
            """,
            unseen="both give the same loss; what differs is the time and the memory",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.module.functions:
                if is_test(function.path):
                    continue
                for found in one_hot_losses(text.origins, function):
                    yield Foreseen(
                        (found.path, found.span),
                        "these one-hot labels are as large as the logits, and the cross entropy "
                        "picks one number of each row: give whole-number labels to "
                        "`optax.softmax_cross_entropy_with_integer_labels`",
                        ((*found.loss, "the cross entropy"),),
                        certain=found.many,
                    )
