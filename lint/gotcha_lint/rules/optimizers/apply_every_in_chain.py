"""Gradients of several steps are accumulated by a part of the chain."""

from __future__ import annotations

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class ApplyEveryInChain(Rule):
    """Accumulates by `optax.apply_every` in a chain with a clip or an optimizer that keeps moments.

    ## What happens
    The other parts of the chain run at each small step. After `adam`, `apply_every(k)` adds up k
    finished updates, each of the size of the learning rate: gradients of 1 and 3, a rate of 0.1 and
    k = 2 make a step of 0.192, with `MultiSteps` one of 0.100. The moments and the count of the
    schedule move k times as fast, and a clip limits each small gradient instead of their mean.
    Before `adam`, the zeros in between go into the moments, and the weights move on them.

    ## Instead
    `optax.MultiSteps(tx, every_k_schedule=k)`, around the whole chain: it gives the mean of k
    gradients to it, and zeros in between.

    ## Not reported
    k = 1, and chains that keep and limit nothing: of `sgd` a sum of updates is the update of the
    sum. A clip after `apply_every` limits the sum.

    ## In a run
    Nothing.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.chain(optax.adam(0.1), optax.apply_every(2))  # ! apply-every-in-chain


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.zeros(3)
                opt_state = tx.init(params)
                for size in (1.0, 3.0):
                    params, opt_state = step(params, opt_state, jnp.full(3, size))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.MultiSteps(optax.adam(0.1), every_k_schedule=2)


                @jax.jit
                def step(params, opt_state, grads):
                    updates, opt_state = tx.update(grads, opt_state, params)
                    return optax.apply_updates(params, updates), opt_state


                params = jnp.zeros(3)
                opt_state = tx.init(params)
                for size in (1.0, 3.0):
                    params, opt_state = step(params, opt_state, jnp.full(3, size))
            """,
            shows="float(jnp.abs(params).max()) > 0.15",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for found in programs.chains.accumulated():
            other = found.other
            of = other.short if other is not None else "the optimizer"
            why = (
                f"`apply_every` adds up what `{of}` has limited one by one: k small steps may go k "
                "times as far as one of the whole batch"
                if other is not None and other.limits
                else f"`apply_every` accumulates nothing for `{of}`, which keeps moments of each "
                "small step"
            )
            yield Foreseen(
                found.part.place,
                f"{why}: put `optax.MultiSteps` around the chain",
                found.explained("it runs at each small step"),
            )
