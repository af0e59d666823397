"""A mean over devices of values that each example has for itself."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import MIXED
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class PmeanOfExamples(Rule):
    """Averages probabilities over devices, each of which has other examples.

    ## What happens
    Under `pmap` each device has its own part of the batch. `jax.lax.pmean(probs, "batch")` adds
    example 0 of the first device to example 0 of the second one. Nothing fails, and on one device
    nothing changes; on four, an accuracy that is computed from the mean compares a mixture of four
    examples with the label of one.

    ## Instead
    Compute the metric of the device's own examples, and average that:
    `accuracy = jax.lax.pmean(jnp.mean(jnp.argmax(logits, -1) == labels), "batch")`.

    ## Not reported
    With `--all` only: files that average no gradients over devices, where the devices may hold
    several models for the same examples.

    ## In a run
    Nothing: the numbers are finite.

    ## References
    https://docs.jax.dev/en/latest/_autosummary/jax.lax.pmean.html
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp


                def loss_fn(w, x, labels):
                    logits = x @ w
                    one_hot = jax.nn.one_hot(labels, 2)
                    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * one_hot, -1)), logits


                def step(w, x, labels):
                    grads, logits = jax.grad(loss_fn, has_aux=True)(w, x, labels)
                    grads = jax.lax.pmean(grads, "batch")
                    probs = jax.lax.pmean(jax.nn.softmax(logits), "batch")  # ! pmean-of-examples
                    accuracy = jnp.mean(jnp.argmax(probs, -1) == labels)
                    return w - grads, accuracy


                ws = jnp.stack([jnp.eye(2)] * 2)
                labels = jnp.array([[0, 1], [1, 1]])
                x = jax.nn.one_hot(labels, 2) * jnp.array([3.0, 1.0])[:, None, None]
                p_step = jax.pmap(step, axis_name="batch", devices=jax.devices()[:2])
                _, accuracy = p_step(ws, x, labels)
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss_fn(w, x, labels):
                    logits = x @ w
                    one_hot = jax.nn.one_hot(labels, 2)
                    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * one_hot, -1)), logits


                def step(w, x, labels):
                    grads, logits = jax.grad(loss_fn, has_aux=True)(w, x, labels)
                    grads = jax.lax.pmean(grads, "batch")
                    accuracy = jnp.mean(jnp.argmax(logits, -1) == labels)
                    return w - grads, jax.lax.pmean(accuracy, "batch")


                ws = jnp.stack([jnp.eye(2)] * 2)
                labels = jnp.array([[0, 1], [1, 1]])
                x = jax.nn.one_hot(labels, 2) * jnp.array([3.0, 1.0])[:, None, None]
                p_step = jax.pmap(step, axis_name="batch", devices=jax.devices()[:2])
                _, accuracy = p_step(ws, x, labels)
            """,
            shows="float(accuracy.mean()) < 1.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(MIXED):
            (word,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"each device has other examples, and this averages the `{word}` of one of each: "
                "average the metric instead, which each device computes of its own examples",
                fault.places,
                fault.certain,
            )
