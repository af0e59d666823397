"""What is added to the updates after the optimizer made them?"""

import optax
from optax import add_decayed_weights, chain

DECAY = 1e-4


def after_sgd(config):
    return optax.chain(
        optax.sgd(config.learning_rate, momentum=config.momentum),
        optax.add_decayed_weights(weight_decay=config.weight_decay),  # ! weight-decay-after-optimizer
    )  # fmt: skip


def before_sgd(config):
    return optax.chain(
        optax.add_decayed_weights(weight_decay=config.weight_decay),
        optax.sgd(config.learning_rate, momentum=config.momentum),
    )


def after_adam(rate, weight_decay):
    return chain(
        optax.adam(rate),
        add_decayed_weights(weight_decay),  # ! weight-decay-after-optimizer
        optax.zero_nans(),
    )


def after_the_rate(rate):
    return chain(
        optax.scale_by_adam(),
        optax.scale(-rate),
        add_decayed_weights(1e-4),  # ! weight-decay-after-optimizer
    )


def after_learning_rate(rate):
    return chain(
        optax.scale_by_adam(),
        optax.scale_by_learning_rate(rate),
        optax.masked(add_decayed_weights(DECAY), {"w": True}),  # ! weight-decay-after-optimizer
    )


def default_of_a_parameter(rate, decay=1e-2):
    wd = decay
    return chain(optax.lion(rate), add_decayed_weights(wd))  # ! weight-decay-after-optimizer


def negative(rate, weight_decay):
    return chain(optax.sgd(rate), add_decayed_weights(-rate * weight_decay))


def negative_number(rate):
    return chain(optax.sgd(rate), add_decayed_weights(-1e-4))


def negative_by_a_name(rate, weight_decay):
    shrink = -rate * weight_decay
    return chain(optax.sgd(rate), add_decayed_weights(shrink))


def computed(rate, weight_decay):
    return chain(optax.sgd(rate), add_decayed_weights(decay_of(rate, weight_decay)))


def decay_of(rate, weight_decay):
    return -rate * weight_decay


def called_with_a_minus(rate, decay):
    return chain(optax.sgd(rate), add_decayed_weights(decay))


def calls_it(rate):
    return called_with_a_minus(rate, -1e-4)


def turned_round_afterwards(rate):
    return chain(
        optax.scale_by_learning_rate(rate, flip_sign=False),
        add_decayed_weights(1e-4),
        optax.scale(-1.0),
    )


def turned_round_by_something(rate, last):
    return chain(optax.sgd(rate), add_decayed_weights(1e-4), last)


def adamw_by_hand(rate):
    return chain(
        optax.scale_by_adam(),
        add_decayed_weights(1e-4),
        optax.scale_by_schedule(lambda step: -rate / (step + 1)),
    )


def adamw_by_hand_and_scale(rate, schedule):
    return chain(
        optax.scale_by_adam(),
        add_decayed_weights(1e-4),
        optax.scale_by_schedule(schedule),
        optax.scale(-1),
    )


def of_the_gradients(clip):
    return chain(optax.clip(clip), add_decayed_weights(1e-4))


def two_optimizers(rate):
    return chain(optax.adamw(rate, weight_decay=1e-4), optax.sgd(rate))


def schedule_of_decay(rate, schedule):
    return chain(optax.sgd(rate), add_decayed_weights(schedule))
