from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs


class EagerOptimizerUpdate(Rule):
    """Runs the optimizer's update outside of `jit` in a training loop.

    ## What happens
    Each operation on each leaf is dispatched on its own, which takes several times as long as one
    jitted step, however the gradients were computed.

    ## In a run
    Of this example nothing: each operation of the update is compiled once, and dispatching it again
    is no compile. Where shapes change from step to step, the operations compile again and again.

    ## Instead
    One jitted function that computes the gradients, the update, and the new parameters.
    """

    confirmed_by = (("eager-op-storm", ""),)
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(1e-3)
                gradient = jax.jit(jax.grad(lambda w: jnp.sum(w**2)))

                w = jnp.ones(3)
                opt_state = tx.init(w)
                for step in range(100):
                    grads = gradient(w)
                    updates, opt_state = tx.update(grads, opt_state, w)  # ! eager-optimizer-update
                    w = optax.apply_updates(w, updates)
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                tx = optax.adam(1e-3)


                @jax.jit
                def train_step(w, opt_state):
                    grads = jax.grad(lambda w: jnp.sum(w**2))(w)
                    updates, opt_state = tx.update(grads, opt_state, w)
                    return optax.apply_updates(w, updates), opt_state


                w = jnp.ones(3)
                opt_state = tx.init(w)
                for step in range(100):
                    w, opt_state = train_step(w, opt_state)
            """,
            unseen="both give the same numbers; what differs is the time",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for (what, place), work in programs.updates.items():
            each = each_turn(work.loops, place[0])
            if what == "optimizer":
                message = (
                    f"the optimizer runs outside of `jit` at each {each}, one dispatch for each "
                    "operation: put gradients and update into one jitted function"
                )
            elif what == "tree":
                message = (
                    f"this updates a tree leaf by leaf at each {each}, outside of `jit`: each "
                    "operation on each leaf is a dispatch of its own; move it into the jitted step"
                )
            else:
                continue
            certain = work.certain and what == "optimizer"
            yield Foreseen(place, message, (*work.places, *loop_places(work.loops)), certain)
