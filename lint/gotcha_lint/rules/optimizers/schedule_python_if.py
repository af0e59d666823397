from collections.abc import Iterator

from gotcha_lint.facts.paths import is_test
from gotcha_lint.interpret.faults.schedule_tests import SCHEDULE_TEST
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class SchedulePythonIf(Rule):
    """Gives Optax a learning rate schedule with a Python `if`, `min` or `max` of its step.

    ## What happens
    The optimizer calls the schedule with its own count of steps, which is traced once the update is
    compiled: `TracerBoolConversionError: Attempted boolean conversion of traced array with shape
    bool[].` Called by hand, or without `jit`, it works.

    ## Instead
    `jnp.where(step < 1000, 0.1, 0.01)`, `optax.piecewise_constant_schedule`, or
    `optax.join_schedules`.

    ## Not reported
    Conditions on anything but the step. Schedules that another file defines.
    """

    severity = "error"
    examples = (
        Example(
            bad="""
                import jax
                import jax.numpy as jnp
                import optax


                def schedule(step):
                    if step < 1000:  # ! schedule-python-if
                        return 0.1
                    return 0.01


                tx = optax.sgd(schedule)
                params = jnp.ones(3)
                updates, state = jax.jit(tx.update)(params, tx.init(params))
            """,
            good="""
                import jax
                import jax.numpy as jnp
                import optax


                def schedule(step):
                    return jnp.where(step < 1000, 0.1, 0.01)


                tx = optax.sgd(schedule)
                params = jnp.ones(3)
                updates, state = jax.jit(tx.update)(params, tx.init(params))
            """,
            raises="TracerBoolConversionError",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SCHEDULE_TEST):
            if not is_test(fault.path):
                yield Foreseen(
                    (fault.path, fault.span),
                    f"`{fault.text[0]}` calls this function with its count of steps, which is "
                    "traced under `jit`: use `jnp.where`",
                    fault.places,
                    fault.certain,
                )
