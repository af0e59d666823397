"""Where in a chain does the weight decay stand?"""

import optax
from optax import add_decayed_weights, chain


def before_adam(rate, config):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.add_decayed_weights(config.weight_decay),  # ! weight-decay-in-moments
        optax.adam(rate),
    )


def in_parts(rate):
    return chain(
        add_decayed_weights(1e-4),  # ! weight-decay-in-moments
        optax.scale_by_adam(),
        optax.scale_by_learning_rate(rate),
    )


def decoupled(rate):
    return chain(
        optax.scale_by_adam(),
        add_decayed_weights(1e-4),
        optax.scale_by_learning_rate(rate),
    )


def of_some_weights(rate, mask):
    decay = optax.masked(optax.add_decayed_weights(1e-4), mask)
    return optax.chain(decay, optax.nadam(rate))  # ! weight-decay-in-moments


def adamw_has_its_own(rate, mask):
    return optax.chain(
        optax.add_decayed_weights(0.01, mask=mask),  # ! weight-decay-in-moments
        optax.adamw(rate, weight_decay=0.0),
    )


def named(rate):
    return optax.named_chain(
        ("decay", optax.add_decayed_weights(0.01)),  # ! weight-decay-in-moments
        ("adam", optax.adam(rate)),
    )


def nested(rate):
    prepared = optax.chain(optax.clip(1.0), optax.add_decayed_weights(0.01))
    return optax.chain(prepared, optax.lion(rate))  # ! weight-decay-in-moments


def nested_and_wrong_inside(rate):
    inner = optax.chain(optax.add_decayed_weights(0.01), optax.adam(rate))  # ! weight-decay-in-moments  # fmt: skip
    return optax.chain(optax.zero_nans(), inner)


def row(rate):
    parts = [optax.add_decayed_weights(0.01), optax.adam(rate)]
    return optax.chain(*parts)  # ! weight-decay-in-moments


def row_that_grows(rate, decays):
    parts = [optax.clip(1.0)]
    if decays:
        parts.append(optax.add_decayed_weights(0.01))
    return optax.chain(*parts, optax.adam(rate))


def sgd(rate):
    return optax.chain(optax.add_decayed_weights(5e-4), optax.sgd(rate, momentum=0.9))


def momentum_by_hand(rate):
    return optax.chain(
        optax.add_decayed_weights(5e-4),
        optax.trace(decay=0.9, nesterov=True),
        optax.scale_by_learning_rate(rate),
    )


def trust_ratio(rate):
    return optax.chain(
        optax.scale_by_adam(),
        optax.add_decayed_weights(0.01),
        optax.scale_by_trust_ratio(),
        optax.scale_by_learning_rate(rate),
    )


def lars_by_hand(rate):
    return optax.chain(
        optax.add_decayed_weights(0.01),
        optax.scale_by_trust_ratio(),
        optax.sgd(rate),
    )


def said_to_be_l2(rate, l2_reg=0.0):
    if l2_reg > 0.0:
        return optax.chain(optax.add_decayed_weights(l2_reg), optax.adam(rate))
    return optax.adam(rate)


def as_elsewhere(rate):
    # The same as torch.optim.Adam(weight_decay=...)
    return optax.chain(optax.add_decayed_weights(1e-4), optax.adam(rate))


def with_a_comment(rate):
    return optax.chain(
        optax.add_decayed_weights(1e-4),  # coupled decay, as in the paper
        optax.scale_by_adam(),
        optax.scale(-rate),
    )


def nothing_decays(rate):
    return optax.chain(optax.add_decayed_weights(0.0), optax.adam(rate))


def root_mean_square(rate):
    return optax.chain(optax.add_decayed_weights(1e-4), optax.rmsprop(rate))


def unknown_optimizer(rate, make):
    return optax.chain(optax.add_decayed_weights(1e-4), make(rate))


def adamw(rate):
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, weight_decay=0.1))


def two_groups(rate, labels):
    return optax.multi_transform(
        {"decay": optax.adamw(rate), "rest": optax.chain(optax.clip(1.0), optax.adam(rate))},
        labels,
    )


def schedule_with_a_minus(clip, weight_decay, schedule):
    return optax.chain(
        optax.clip_by_global_norm(clip),
        optax.add_decayed_weights(weight_decay),  # ! weight-decay-in-moments
        optax.scale_by_radam(),
        optax.scale_by_schedule(lambda step: -schedule(step)),
    )


def set_from_outside(weight_decay):
    decay = optax.add_decayed_weights(weight_decay)
    return optax.chain(decay, optax.inject_hyperparams(optax.sgd)(learning_rate=0.1))


def only_for_sgd(make, rate, hyperparameters):
    parts = [optax.clip(1.0)]
    if make == optax.sgd:
        parts.append(optax.add_decayed_weights(hyperparameters.pop("weight_decay")))
    return optax.chain(*parts, make(rate))
