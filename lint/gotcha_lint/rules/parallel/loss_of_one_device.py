"""The loss of the first device, in place of that of the whole batch."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import LOSS_OF_ONE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class LossOfOneDevice(Rule):
    """Returns the loss of each device's own part of the batch, and reads that of the first one.

    ## What happens
    Under `pmap` the loss is a mean over the part of the batch that the device has. Its result has
    one loss for each device. `unreplicate(loss)` and `loss[0]` take the first: with eight devices
    the logged loss leaves out seven eighths of the data. In an evaluation that is the number that
    decides which checkpoint is the best.

    ## Instead
    `loss = jax.lax.pmean(loss, axis_name)` in the step, as for the gradients; or the mean of all
    devices in the caller, `loss.mean()`.

    ## Not reported
    Axes without a name; losses that a function of the step reduces inside; losses that pass through
    other functions before they are read; other metrics than the loss.

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


                def loss_fn(w, x):
                    return jnp.mean((w - x) ** 2)


                def step(w, x):
                    loss, grads = jax.value_and_grad(loss_fn)(w, x)
                    grads = jax.lax.pmean(grads, "batch")
                    return w - 0.1 * grads, loss  # ! loss-of-one-device


                p_step = jax.pmap(step, axis_name="batch", devices=jax.devices()[:2])
                w, loss = p_step(jnp.zeros(2), jnp.array([[1.0, 1.0], [3.0, 3.0]]))
                value = float(loss[0])
            """,
            good="""
                import jax
                import jax.numpy as jnp


                def loss_fn(w, x):
                    return jnp.mean((w - x) ** 2)


                def step(w, x):
                    loss, grads = jax.value_and_grad(loss_fn)(w, x)
                    loss, grads = jax.lax.pmean((loss, grads), "batch")
                    return w - 0.1 * grads, loss


                p_step = jax.pmap(step, axis_name="batch", devices=jax.devices()[:2])
                w, loss = p_step(jnp.zeros(2), jnp.array([[1.0, 1.0], [3.0, 3.0]]))
                value = float(loss[0])
            """,
            shows="value < 2.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(LOSS_OF_ONE):
            (name,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`{name}` returns the loss of each device's own part of the batch, and the caller "
                "reads that of the first one: `jax.lax.pmean` it in the step, or take the mean of "
                "all devices",
                fault.places,
                fault.certain,
            )
