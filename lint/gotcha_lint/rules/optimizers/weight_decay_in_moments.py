import re
from collections.abc import Iterator

from gotcha_lint.facts.optax import NORMALISING
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs

_MEANT = re.compile(r"l2|torch|(?<!de)coupled", re.IGNORECASE)


class WeightDecayInMoments(Rule):
    """Adds weight decay before Adam, which divides it by the size of the gradients.

    ## What happens
    The decay becomes a part of the gradient: L2 regularisation, not the decoupled decay of AdamW.
    Where gradients are large nothing decays, and where they are small the weights fall at the full
    learning rate. Of three weights of 1.0 with gradients of 0.01, 1 and 100 that change their sign
    at each step, 200 steps left 0.018, 0.805 and 0.980; with `adamw` all were 0.804. The first step
    is the same for a decay of 0.1 and of 1.0. With `sgd` there is no such difference.

    ## Instead
    `optax.adamw(rate, weight_decay=0.1)`, or in a chain `scale_by_adam()`, then
    `add_decayed_weights(0.1)`, then `scale_by_learning_rate(rate)`.

    ## Not reported
    Code that speaks of L2 or of PyTorch, whose `Adam(weight_decay=...)` does the same; a decay of
    0; `sgd`, `trace` and trust ratios, where the decay belongs before them; lists of parts that
    grow.

    ## In a run
    Nothing: the numbers are as good as any.
    """

    spoken = _MEANT
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.chain(
                    optax.add_decayed_weights(0.1),  # ! weight-decay-in-moments
                    optax.adam(0.01),
                )


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                grads = jnp.array([0.01, 1.0, 100.0])
                for i in range(100):
                    params, opt_state = step(params, opt_state, grads)
                    params, opt_state = step(params, opt_state, -grads)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adamw(0.01, weight_decay=0.1, mask=True)


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.ones(3)
                opt_state = tx.init(params)
                grads = jnp.array([0.01, 1.0, 100.0])
                for i in range(100):
                    params, opt_state = step(params, opt_state, grads)
                    params, opt_state = step(params, opt_state, -grads)
            """,
            shows="params[2] - params[0] > 0.5",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for found in programs.chains.decayed_in_moments():
            adam = found.other.name if found.other is not None else ""
            yield Foreseen(found.part.place, _message(adam), found.explained("divided here"))


def _message(adam: str) -> str:
    word, better = adam.removeprefix("optax."), NORMALISING[adam].removeprefix("optax.")
    cure = f"give it to `{better}` as `weight_decay`" if better else "put it after that"
    return f"the decay goes through `{word}`, which divides it by the size of the gradients: {cure}"
