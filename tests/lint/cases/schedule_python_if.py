import functools

import jax.numpy as jnp
import optax
import own
from optax import adamw


def steps(step):
    if step < 100:  # ! schedule-python-if
        return 1e-3
    return 1e-4


def of_steps():
    return optax.adam(steps)


def smooth(step):
    return jnp.where(step < 100, 1e-3, 1e-4)


def of_smooth():
    return optax.adam(smooth)


def by_keyword(rate, warmup):
    def warm(count):
        epoch = count // 10
        return rate * epoch if epoch < warmup else rate  # ! schedule-python-if

    return adamw(weight_decay=0.1, learning_rate=warm)


def configured(rate, warmup):
    def warm(count):
        if warmup is None or warmup == 0:
            return rate
        return rate * jnp.minimum(1.0, count / warmup)

    return adamw(learning_rate=warm)


def of_a_lambda(rate):
    return optax.chain(
        optax.scale_by_adam(),
        optax.scale_by_schedule(lambda n: -rate if n > 10 else 0.0),  # ! schedule-python-if
    )


def of_a_good_lambda(rate):
    return optax.scale_by_schedule(lambda n: -rate * jnp.exp(-n))


def by_hand(step):
    if step < 100:
        return 1e-3
    return 1e-4


def used_by_hand(step):
    return optax.adam(by_hand(step))


def careful(step):
    if isinstance(step, int) and step < 100:
        return 1e-3
    return jnp.where(step < 100, 1e-3, 1e-4)


def of_careful():
    return optax.sgd(careful)


def optional(step):
    if step is None:
        return 1e-3
    return 1e-3 / step


def of_optional():
    return optax.sgd(optional)


def of_schedules(rate):
    return optax.sgd(optax.linear_schedule(rate, 0.0, 100))


def with_two(step, rate):
    if rate > 1.0:
        return 1e-3
    return rate / step


def of_partial():
    return optax.sgd(functools.partial(with_two, rate=2.0))


def nested(rate):
    def outer(step):
        def inner(step):
            return rate if step > 1 else 0.0

        return jnp.asarray(rate) * step if callable(inner) else rate

    return optax.sgd(outer)


def length(step):
    n = len(SIZES)
    if n > 3:
        return 1e-3
    return 1e-4 * step


SIZES = [1, 2]


def of_length():
    return optax.sgd(length)


def given(schedule):
    return optax.sgd(schedule)


def capped(step):
    return 1e-3 * min(1.0, (step + 1) / 100)  # ! schedule-python-if


def of_capped():
    return optax.sgd(capped)


def capped_well(step):
    return 1e-3 * jnp.minimum(1.0, step / max(len(SIZES), 1))


def of_capped_well():
    return optax.sgd(capped_well)


def capped_by_own(step):
    return 1e-3 * own.min(1.0, step / 100)


def of_capped_by_own():
    return optax.sgd(capped_by_own)


class Milestones:
    def __init__(self, rate, at):
        self.rate, self.at = rate, at

    def __call__(self, count):
        rate = self.rate
        for milestone in self.at:
            if count >= milestone:  # ! schedule-python-if
                rate *= 0.5
        return rate


def of_milestones():
    return optax.sgd(Milestones(1e-3, (100, 200)))


class Constant:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, count):
        return self.rate if self.rate > 0 else 1e-3


def of_an_object():
    return optax.sgd(Constant(1e-3))


def tail(step):
    if step > 10:  # ! schedule-python-if
        return 1e-4
    return 1e-3


def joined():
    schedule = optax.join_schedules([optax.constant_schedule(1e-3), tail], boundaries=[4])
    return optax.sgd(schedule)


def asked(step):
    if step > 10:
        return 1e-4
    return 1e-3


def joined_for_a_figure(steps):
    schedule = optax.join_schedules([optax.constant_schedule(1e-3), asked], boundaries=[4])
    return [schedule(step) for step in range(steps)]
