from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LabelIgnoreIndex(Rule):
    """Marks labels to be ignored with -100 or -1 and averages the cross entropy of all of them.

    ## What happens
    Nothing is ignored. `optax.softmax_cross_entropy_with_integer_labels` takes the label as an
    index from the end: -1 is scored as the last class, and -100 of 200 classes as class 100. With
    fewer than 100 classes it is NaN, and so is the whole mean.

    ## Instead
    Keep the mask and average what it keeps: `jnp.mean(losses, where=mask)`, with
    `jnp.where(mask, labels, 0)` as labels.

    ## Not reported
    Losses that are masked afterwards, and labels that come from elsewhere.
    """

    severity = "error"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax

                logits = jnp.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
                tokens = jnp.array([0, 1])
                mask = jnp.array([True, False])
                labels = jnp.where(mask, tokens, -100)
                cross_entropy = optax.softmax_cross_entropy_with_integer_labels
                loss = cross_entropy(logits, labels).mean()  # ! label-ignore-index
            """,
            good="""
                import jax.numpy as jnp
                import optax

                logits = jnp.array([[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
                tokens = jnp.array([0, 1])
                mask = jnp.array([True, False])
                labels = jnp.where(mask, tokens, 0)
                cross_entropy = optax.softmax_cross_entropy_with_integer_labels
                loss = cross_entropy(logits, labels).mean(where=mask)
            """,
            shows="bool(jnp.isnan(loss))",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of("ignored labels"):
            (number,) = fault.text
            effect = "the last class" if number == "-1" else "a class from the end, or NaN"
            yield Foreseen(
                (fault.path, fault.span),
                f"the labels hold {number}, which is scored as {effect}: mask the losses",
                fault.places,
                fault.certain,
            )
