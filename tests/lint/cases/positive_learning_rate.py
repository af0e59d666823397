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


RATE = 1e-2
DOWN = -1e-2


def constant():
    return optax.chain(optax.scale_by_adam(), optax.scale(RATE))  # ! positive-learning-rate


def negative_constant():
    return optax.chain(optax.scale_by_adam(), optax.scale(DOWN))


def of_a_variable():
    size = 0.01
    return optax.chain(optax.scale_by_rms(), optax.scale(size))  # ! positive-learning-rate


def of_an_argument(learning_rate):
    return optax.chain(optax.scale_by_rms(), optax.scale(learning_rate))  # ! positive-learning-rate


def of_a_setting(config):
    return optax.chain(optax.scale_by_rms(), optax.scale(config.lr))  # ! positive-learning-rate


def of_a_negated_setting(config):
    return optax.chain(optax.scale_by_rms(), optax.scale(-config.lr))


def of_any_argument(size):
    return optax.chain(optax.scale_by_rms(), optax.scale(size))


def by_schedule():
    schedule = optax.linear_schedule(1e-3, 0.0, 100)
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule))  # ! positive-learning-rate


def by_negative_schedule():
    schedule = optax.linear_schedule(-1e-3, 0.0, 100)
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule))


def by_schedule_and_sign():
    schedule = optax.linear_schedule(1e-3, 0.0, 100)
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule), optax.scale(-1.0))


def by_negating_function():
    schedule = optax.linear_schedule(1e-3, 0.0, 100)
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(lambda n: -schedule(n)))


def by_any_schedule(schedule):
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule))


def by_schedule_of(top):
    schedule = optax.linear_schedule(top, 0.0, 100)
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule))


def made_with_a_number(size):
    return optax.chain(optax.scale_by_adam(), optax.scale(size))  # ! positive-learning-rate


class Agent:
    def __init__(self, rate):
        self.tx = optax.chain(optax.scale_by_rms(), optax.scale(rate))  # ! positive-learning-rate


def made_with_a_negative_number(size):
    return optax.chain(optax.scale_by_adam(), optax.scale(size))


def made_with_both(size):
    return optax.chain(optax.scale_by_adam(), optax.scale(size))


def with_a_default(size=1e-2):
    return optax.chain(optax.scale_by_adam(), optax.scale(size))  # ! positive-learning-rate


def with_a_negative_default(size=-1e-2):
    return optax.chain(optax.scale_by_adam(), optax.scale(size))


def set_before(size=1e-2):
    size = -size
    return optax.chain(optax.scale_by_adam(), optax.scale(size))


def given_a_schedule(schedule):
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule))  # ! positive-learning-rate


def given_a_falling_schedule(schedule):
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule))


def make_all():
    made_with_a_number(1e-3)
    Agent(rate=0.01)
    made_with_a_negative_number(-1e-3)
    made_with_both(1e-3)
    made_with_both(-1e-3)
    given_a_schedule(optax.cosine_decay_schedule(1e-3, 100))
    given_a_falling_schedule(optax.cosine_decay_schedule(-1e-3, 100))


def a_schedule_and_a_plus(config):
    schedule = optax.linear_schedule(config.learning_rate, 0.0, 100)
    return optax.chain(
        optax.scale_by_adam(),
        optax.scale_by_schedule(schedule),
        optax.scale(1.0),  # ! positive-learning-rate
    )


def a_schedule_and_a_minus(config):
    schedule = optax.linear_schedule(config.learning_rate, 0.0, 100)
    return optax.chain(
        optax.scale_by_adam(), optax.scale_by_schedule(schedule), optax.scale(-1.0)
    )


def an_unknown_schedule_and_a_plus(config):
    schedule = config.schedule()
    return optax.chain(optax.scale_by_adam(), optax.scale_by_schedule(schedule), optax.scale(1.0))


def a_factor_alone(config):
    return optax.chain(optax.scale_by_adam(), optax.scale(1.0))


def momentum_and_a_schedule(config):
    schedule = optax.exponential_decay(init_value=config.lr_init, transition_steps=9, decay_rate=0.5)
    return optax.chain(
        optax.trace(decay=0.9),
        optax.add_decayed_weights(1e-4),
        optax.scale_by_schedule(schedule),
        optax.scale(1.0),  # ! positive-learning-rate
    )
