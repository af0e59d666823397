import optax


def before_adam(rate):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.add_decayed_weights(1e-4),  # ! weight-decay-in-moments
        optax.adam(rate),
    )


def by_hand(rate):
    return optax.chain(
        optax.add_decayed_weights(1e-4),  # ! weight-decay-in-moments
        optax.scale_by_adam(),
        optax.scale_by_learning_rate(rate),
    )


def masked(rate):
    decay = optax.masked(optax.add_decayed_weights(1e-4), {"kernel": True, "bias": False})
    return optax.chain(decay, optax.rmsprop(rate))  # ! weight-decay-in-moments


def named(rate):
    return optax.named_chain(
        ("decay", optax.add_decayed_weights(1e-4)),  # ! weight-decay-in-moments
        ("adam", optax.adam(rate)),
    )


def decoupled(rate):
    return optax.chain(
        optax.scale_by_adam(),
        optax.add_decayed_weights(1e-4),
        optax.scale_by_learning_rate(rate),
    )


def lamb_by_hand(rate):
    return optax.chain(
        optax.scale_by_adam(),
        optax.add_decayed_weights(1e-4),
        optax.scale_by_trust_ratio(),
        optax.scale(-rate),
    )


def with_momentum(rate):
    return optax.chain(optax.add_decayed_weights(1e-4), optax.sgd(rate, momentum=0.9))


def with_a_trace(rate):
    return optax.chain(optax.add_decayed_weights(1e-4), optax.trace(0.9), optax.scale(-rate))


def unknown(base):
    return optax.chain(optax.add_decayed_weights(1e-4), base)


def afterwards(rate):
    return optax.chain(optax.adam(rate), optax.add_decayed_weights(-1e-4))
