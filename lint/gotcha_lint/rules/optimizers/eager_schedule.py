"""A schedule of optax that a training loop evaluates outside of `jit`."""

from collections.abc import Iterator

from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.rule_helpers.wording import each_turn, loop_places
from gotcha_lint.solve.programs import Programs


class EagerSchedule(Rule):
    """Evaluates a learning rate schedule outside of `jit` in each step of a training loop.

    ## What happens
    No error. A schedule of optax is a function of JAX: each operation of it starts by itself,
    behind all that is queued on the device. `optax.warmup_cosine_decay_schedule` takes 0.37 ms a
    call on a CPU, and 0.01 ms under `jit`. The optimizer has computed the rate already.

    ## Instead
    Return the rate from the jitted step, `{"loss": loss, "rate": schedule(state.step)}`; or
    evaluate the schedule in the steps that log it, and jit it.

    ## Not reported
    Calls under a condition that differs from step to step, as `step % 100 == 0`; loops that call
    nothing compiled, such as one that draws the curve.

    ## In a run
    Nothing: each operation compiles once.

    ## References
    https://optax.readthedocs.io/en/latest/api/optimizer_schedules.html
    """

    severity = "info"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax

                schedule = optax.cosine_decay_schedule(1e-2, 100)
                tx = optax.sgd(schedule)


                @jax.jit
                def train_step(w, opt_state):
                    loss, grads = jax.value_and_grad(lambda w: jnp.sum(w**2))(w)
                    updates, opt_state = tx.update(grads, opt_state)
                    return optax.apply_updates(w, updates), opt_state, loss


                w = jnp.ones(3)
                opt_state = tx.init(w)
                for step in range(100):
                    w, opt_state, loss = train_step(w, opt_state)
                    rate = schedule(step)  # ! eager-schedule
                print(float(loss), float(rate))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax

                schedule = optax.cosine_decay_schedule(1e-2, 100)
                tx = optax.sgd(schedule)


                @jax.jit
                def train_step(w, opt_state):
                    loss, grads = jax.value_and_grad(lambda w: jnp.sum(w**2))(w)
                    updates, opt_state = tx.update(grads, opt_state)
                    rate = schedule(optax.tree.get(opt_state, "count"))
                    return optax.apply_updates(w, updates), opt_state, loss, rate


                w = jnp.ones(3)
                opt_state = tx.init(w)
                for step in range(100):
                    w, opt_state, loss, rate = train_step(w, opt_state)
                print(float(loss), float(rate))
            """,
            unseen="starting the operations costs time, and how much depends on the machine",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for (what, place), work in programs.updates.items():
            if what != "schedule":
                continue
            yield Foreseen(
                place,
                f"this schedule is evaluated at each {each_turn(work.loops, place[0])} outside of "
                "`jit`, one dispatch for each operation: return the rate from the jitted step, or "
                "evaluate it where it is logged",
                (*work.places, *loop_places(work.loops)),
                certain=work.certain,
            )
