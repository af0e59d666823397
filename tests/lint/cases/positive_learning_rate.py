import optax


def climbs():
    return optax.chain(optax.clip(1.0), optax.scale_by_rms(), optax.scale(1e-3))  # ! positive-learning-rate


def descends():
    return optax.chain(optax.scale_by_adam(), optax.scale(-1e-3))


def by_the_library():
    return optax.chain(optax.scale_by_adam(), optax.scale_by_learning_rate(1e-3))


def schedule_brings_the_sign(schedule):
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule), optax.scale(0.5))


def whole_optimizer():
    return optax.chain(optax.adam(1e-3), optax.scale(0.5))


def twice_negated():
    return optax.chain(optax.scale(-1.0), optax.scale_by_adam(), optax.scale(0.1))


def a_variable(rate):
    return optax.chain(optax.scale_by_adam(), optax.scale(rate))
