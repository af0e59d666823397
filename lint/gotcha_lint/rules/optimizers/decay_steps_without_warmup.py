"""A schedule whose length does not count its warm-up."""

from collections.abc import Iterator

from gotcha_lint.interpret.faults.computed import SHORT_SCHEDULE
from gotcha_lint.rule import Example, Foreseen, Rule
from gotcha_lint.solve.programs import Programs


class DecayStepsWithoutWarmup(Rule):
    """Subtracts the warm-up from the `decay_steps` of a schedule that counts it.

    ## What happens
    No error. `decay_steps` of `optax.warmup_cosine_decay_schedule` is the length of the whole
    schedule, warm-up included; optax subtracts `warmup_steps` itself. With `decay_steps=total -
    warmup_steps` the cosine ends that many steps early, and the rest of the run trains with
    `end_value`, which is 0 by default. Where the warm-up is half of the run, optax raises a
    `ValueError`.

    ## Instead
    `decay_steps=total`. In `optax.join_schedules` it is different: each part counts its own steps,
    as does `transition_steps` of `optax.warmup_exponential_decay_schedule`.

    ## In a run
    Nothing: a learning rate of zero is a number.
    """

    severity = "warning"
    examples = (
        Example(
            bad="""
                import optax

                total, warmup = 100, 20
                rate = optax.warmup_cosine_decay_schedule(  # ! decay-steps-without-warmup
                    init_value=0.0,
                    peak_value=1.0,
                    warmup_steps=warmup,
                    decay_steps=total - warmup,
                )
            """,
            good="""
                import optax

                total, warmup = 100, 20
                rate = optax.warmup_cosine_decay_schedule(
                    init_value=0.0,
                    peak_value=1.0,
                    warmup_steps=warmup,
                    decay_steps=total,
                )
            """,
            shows="float(rate(85)) == 0.0",
        ),
    )

    def foresee(self, programs: Programs) -> Iterator[Foreseen]:
        for fault in programs.faults.of(SHORT_SCHEDULE):
            (warmup,) = fault.text
            taken = f"`{warmup}`" if warmup else "the warm-up"
            yield Foreseen(
                (fault.path, fault.span),
                f"`decay_steps` counts the warm-up, too, and optax subtracts it: without {taken} "
                "the decay ends so many steps early; give the whole length",
                fault.places,
                fault.certain,
            )
