"""A weight decay that shrinks biases and norms, too."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import UNMASKED_DECAY
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class WeightDecayWithoutMask(Rule):
    """Decays every leaf of the parameters: biases and the scales of norms as well.

    ## What happens
    No error. `optax.adamw(rate, weight_decay=0.1)` takes a part of each parameter away in each
    step, whatever its gradient is. For matrices that is the purpose. The scale of a norm, a bias or
    an embedding of positions is pulled to zero as well, and a leaf that is frozen only by
    `stop_gradient` shrinks, too: its gradient is zero, and its decay is not.

    ## Instead
    `mask=` gets a function of the parameters that gives a tree of booleans, for most models
    `lambda params: jax.tree.map(lambda leaf: leaf.ndim > 1, params)`. `mask=True` says that every
    leaf is meant.

    ## Not reported
    Functions that choose the leaves of an optimizer in another way (`optax.masked`,
    `optax.partition`). The decay that optax takes by itself, as in `optax.adamw(rate)`, is shown
    with `--all`.

    ## In a run
    Nothing.
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                params = {"kernel": jnp.ones((2, 2)), "scale": jnp.ones(2)}
                optimizer = optax.adamw(0.1, weight_decay=0.1)  # ! weight-decay-without-mask
                state = optimizer.init(params)
                grads = jax.tree.map(jnp.zeros_like, params)
                updates, state = optimizer.update(grads, state, params)
                params = optax.apply_updates(params, updates)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax


                def is_matrix(params):
                    return jax.tree.map(lambda leaf: leaf.ndim > 1, params)


                params = {"kernel": jnp.ones((2, 2)), "scale": jnp.ones(2)}
                optimizer = optax.adamw(0.1, weight_decay=0.1, mask=is_matrix)
                state = optimizer.init(params)
                grads = jax.tree.map(jnp.zeros_like, params)
                updates, state = optimizer.update(grads, state, params)
                params = optax.apply_updates(params, updates)
            """,
            shows='float(params["scale"][0]) < 1.0',
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(UNMASKED_DECAY):
            (word,) = fault.text
            yield Foreseen(
                (fault.path, fault.span),
                f"`optax.{word}` decays every parameter, biases and the scales of norms as well: "
                "give it a `mask` of the leaves to decay",
                fault.places,
                fault.certain,
            )
