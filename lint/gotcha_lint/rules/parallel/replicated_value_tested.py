"""A value of a replicated state that Python takes for one number."""

from collections.abc import Iterator

from gotcha_lint.patterns.training.replicated_values import ReplicatedValue, replicated_values
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ReplicatedValueTested(Rule):
    """Tests a leaf of a replicated state, which has one element for each device.

    ## What happens
    `flax.jax_utils.replicate` gives each leaf an axis for the devices, the step of a `TrainState`
    too. On one device the array has one element, so `if state.step % 100 == 0` works. On several
    devices it raises a `ValueError`, "the truth value of an array with more than one element is
    ambiguous". `int(state.step)` raises a `TypeError` on any number of devices.

    ## Instead
    Count the steps on the host, `for step in range(steps)`, or take one element:
    `int(state.step[0])`. The counter on the host also does not wait for the device.

    ## Not reported
    States that are changed by anything but a step in between. Other fields than `step`, which may
    be no leaves, are shown with `--all`.

    ## In a run
    Nothing on one device, an error on several.

    ## References
    https://flax.readthedocs.io/en/latest/api_reference/flax.jax_utils.html
    """

    severity = "warning"
    confidence = "medium"
    examples = (
        Example(
            bad="""
                import jax.numpy as jnp
                import optax
                from flax import jax_utils
                from flax.training import train_state

                tx = optax.sgd(0.1)
                state = train_state.TrainState.create(apply_fn=None, params=jnp.ones(3), tx=tx)
                state = jax_utils.replicate(state)
                for _ in range(2):
                    if state.step % 10 == 0:  # ! replicated-value-tested
                        print("a checkpoint")
            """,
            good="""
                import jax.numpy as jnp
                import optax
                from flax import jax_utils
                from flax.training import train_state

                tx = optax.sgd(0.1)
                state = train_state.TrainState.create(apply_fn=None, params=jnp.ones(3), tx=tx)
                state = jax_utils.replicate(state)
                for step in range(2):
                    if step % 10 == 0:
                        print("a checkpoint")
            """,
            raises="more than one element is ambiguous",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for text in programs.texts:
            for function in text.origins.links.bodies(text.module):
                for one in replicated_values(text.module, function):
                    yield Foreseen(
                        (function.path, one.span),
                        _words(one),
                        ((function.path, one.replicated, "replicated here"),),
                        one.certain,
                    )


def _words(one: ReplicatedValue) -> str:
    is_cast = one.word in ("int", "float")
    raises = "a `TypeError`" if is_cast else "a `ValueError` on several devices"
    return (
        f"`{one.name}` has one element for each device, so `{one.word}` raises {raises}; count on "
        f"the host, or take `{one.name}[0]`"
    )
