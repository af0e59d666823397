import dataclasses

import optax


@dataclasses.dataclass
class Plan:
    peak: float = 0.1
    steps: int = 1000
    rise: int = 100
    fall: int = steps - rise


@dataclasses.dataclass
class WholePlan:
    steps: int = 1000
    rise: int = 100
    pause: int = 10
    fall: int = steps - pause


def of_a_field(plan: Plan):
    return optax.warmup_cosine_decay_schedule(  # ! decay-steps-without-warmup
        0.0, plan.peak, warmup_steps=plan.rise, decay_steps=plan.fall
    )


def of_another_field(plan: WholePlan):
    return optax.warmup_cosine_decay_schedule(0.0, 0.1, plan.rise, plan.fall)


def of_another_object(plan: Plan, other: Plan):
    return optax.warmup_cosine_decay_schedule(0.0, 0.1, other.rise, plan.fall)


def of_a_configuration(config):
    return optax.warmup_cosine_decay_schedule(  # ! decay-steps-without-warmup
        init_value=0.0,
        peak_value=config.rate,
        warmup_steps=config.warmup_steps,
        decay_steps=config.total_steps - config.warmup_steps,
    )


def by_position(rate, total, warmup):
    rest = total - warmup
    make = optax.warmup_cosine_decay_schedule
    return make, optax.warmup_cosine_decay_schedule(  # ! decay-steps-without-warmup
        0.0, rate, warmup, rest
    )


def of_an_epoch(rate, epochs, each):
    warmup = 2 * each
    return optax.schedules.warmup_cosine_decay_schedule(  # ! decay-steps-without-warmup
        0.0, rate, warmup_steps=warmup, decay_steps=epochs * each - warmup
    )


def by_two_names(rate, total, warmup_steps, warmup_iters):
    return optax.warmup_cosine_decay_schedule(  # ! decay-steps-without-warmup
        0.0, rate, int(warmup_iters), total - warmup_steps
    )


def whole(rate, total, warmup):
    return optax.warmup_cosine_decay_schedule(0.0, rate, warmup, total)


def less_something_else(rate, total, warmup, cooldown):
    return optax.warmup_cosine_decay_schedule(0.0, rate, warmup, total - cooldown)


def one_less(rate, total, warmup):
    return optax.warmup_cosine_decay_schedule(0.0, rate, warmup, total - 1)


def joined(rate, total, warmup):
    rising = optax.linear_schedule(0.0, rate, warmup)
    falling = optax.cosine_decay_schedule(rate, total - warmup)
    return optax.join_schedules([rising, falling], [warmup])


def exponential(rate, total, warmup):
    return optax.warmup_exponential_decay_schedule(0.0, rate, warmup, total - warmup, 0.1)


def own(schedule, rate, total, warmup):
    return schedule(0.0, rate, warmup, total - warmup)
