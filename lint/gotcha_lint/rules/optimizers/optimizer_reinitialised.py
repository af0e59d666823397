from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class OptimizerReinitialised(Rule):
    """Makes a new optimizer state for every update, in the step itself or in the training loop.

    ## What happens
    Nothing fails, but momentum, second moments and the schedule's step counter are zero at every
    update. With a warm-up the learning rate stays 0 and nothing is learned: a loss of 4.03 where
    the same run with a kept state reached 0.0000.

    ## Instead
    Call `tx.init(params)` once, before the loop, and carry the state: take it as an argument of the
    step and return the new one.

    ## Not reported
    An optimizer restarted for an inner problem that takes more than one step, or for each run,
    task or client; plain gradient descent, which has no state.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(optax.linear_schedule(0.0, 0.1, 10))


                @jax.jit
                def step(w):
                    opt_state = tx.init(w)  # ! optimizer-reinitialised
                    updates, opt_state = tx.update(2 * w, opt_state, w)
                    return optax.apply_updates(w, updates)


                w = jnp.ones(3)
                for _ in range(20):
                    w = step(w)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(optax.linear_schedule(0.0, 0.1, 10))


                @jax.jit
                def step(w, opt_state):
                    updates, opt_state = tx.update(2 * w, opt_state, w)
                    return optax.apply_updates(w, updates), opt_state


                w = jnp.ones(3)
                opt_state = tx.init(w)
                for _ in range(20):
                    w, opt_state = step(w, opt_state)
            """,
            shows="bool((w == 1.0).all())",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for one in programs.restarted.values():
            if is_test(one.place[0]):
                continue
            again = "iteration of this loop" if one.in_loop else "step"
            name = f"`{one.name}`" if one.name else "the state"
            update = "makes" if one.whole else "gets"
            yield Foreseen(
                one.place,
                f"{name} is initialised again in each {again}: moments and schedule start from "
                "zero",
                ((*one.updated, f"the only update it {update}"),),
                one.certain,
            )
