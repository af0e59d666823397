from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class WeightDecayAfterOptimizer(Rule):
    """Adds weight decay in `optax.chain` after the optimizer, so that the weights grow.

    ## What happens
    The optimizer has negated the gradient and scaled it by the learning rate; the decay is added to
    that as it is. Each step multiplies the weights by 1 plus the decay: with
    `add_decayed_weights(0.01)` after `sgd`, and no gradient at all, a weight of 1.0 was 2.7 after
    100 steps, whatever the learning rate. A small decay goes unnoticed, and makes weights larger.

    ## Instead
    With `sgd` before it, `optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(0.1))`; for Adam
    `optax.adamw(rate, weight_decay=1e-4)`.

    ## Not reported
    A decay that is not seen to be positive: `add_decayed_weights(-rate * decay)` is right there.

    ## In a run
    Nothing, until a weight overflows.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.chain(
                    optax.sgd(0.1),
                    optax.add_decayed_weights(0.01),  # ! weight-decay-after-optimizer
                )


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                for i in range(100):
                    params, opt_state = step(params, opt_state, jnp.zeros(3))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.chain(
                    optax.add_decayed_weights(0.01, mask=True),
                    optax.sgd(0.1),
                )


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                for i in range(100):
                    params, opt_state = step(params, opt_state, jnp.zeros(3))
            """,
            shows="params[0] > 1.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for found in programs.chains.decayed_after():
            yield Foreseen(
                found.part.place,
                "the weights grow: the decay comes after the optimizer, which makes the updates "
                "negative, so it is added to the weights; put it first, or use `adamw`",
                found.explained("the optimizer"),
            )
