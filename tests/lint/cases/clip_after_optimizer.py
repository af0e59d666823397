import optax


def clipped_last(lr):
    return optax.chain(optax.adamw(lr), optax.clip(1.0))  # ! clip-after-optimizer


def with_more_parts(lr):
    return optax.chain(
        optax.zero_nans(),
        optax.sgd(lr, momentum=0.9),
        optax.clip_by_global_norm(0.5),  # ! clip-after-optimizer
    )


def clipped_first(lr):
    return optax.chain(optax.clip_by_global_norm(0.5), optax.adam(lr))


def updates_on_purpose(lr):
    return optax.chain(optax.scale_by_adam(), optax.clip(1.0), optax.scale(-lr))


def unknown(base):
    return optax.chain(base, optax.clip(1.0))


def by_names(rate):
    adam = optax.adam(rate)
    clip = optax.clip_by_global_norm(1.0)
    return optax.chain(adam, clip)  # ! clip-after-optimizer


def by_names_in_order(rate):
    adam = optax.adam(rate)
    clip = optax.clip_by_global_norm(1.0)
    return optax.chain(clip, adam)


def after_the_rate(rate):
    return optax.chain(optax.scale_by_adam(), optax.scale_by_learning_rate(rate), optax.clip(1.0))  # ! clip-after-optimizer


def before_the_rate(rate):
    return optax.chain(optax.scale_by_adam(), optax.clip(1.0), optax.scale_by_learning_rate(rate))


def of_a_list(rate):
    parts = [optax.rmsprop(rate), optax.clip(1.0)]
    return optax.chain(*parts)  # ! clip-after-optimizer


def of_a_list_in_order(rate):
    parts = [optax.clip(1.0), optax.rmsprop(rate)]
    return optax.chain(*parts)


def of_a_list_that_grows(rate, more):
    parts = [optax.rmsprop(rate), optax.clip(1.0)]
    parts.reverse()
    return optax.chain(*parts)


def clipped_inside(rate):
    inner = optax.chain(optax.clip(1.0), optax.adam(rate))
    return optax.chain(optax.add_decayed_weights(0.1), inner)


def unknown_part(rate, part):
    return optax.chain(part, optax.clip(1.0))


def row_beside_others(rate):
    first = [optax.zero_nans(), optax.adam(rate)]
    return optax.chain(*first, optax.clip(1.0))  # ! clip-after-optimizer


def chain_that_clips_last(rate):
    clipped = optax.chain(optax.zero_nans(), optax.clip(1.0))
    return optax.chain(optax.sgd(rate), clipped)  # ! clip-after-optimizer


def row_before_others(rate):
    first = [optax.zero_nans(), optax.clip(1.0)]
    return optax.chain(*first, optax.adam(rate))


def chain_that_clips_first(rate):
    clipped = optax.chain(optax.zero_nans(), optax.clip(1.0))
    return optax.chain(clipped, optax.sgd(rate))


def limit(value=1.0):
    return optax.clip_by_global_norm(value)


def limited_by_another_function(rate):
    return optax.chain(optax.adam(rate), limit())  # ! clip-after-optimizer


def first_by_another_function(rate):
    return optax.chain(limit(), optax.adam(rate))


def one_of_two(rate, own, make):
    if own:
        scaled = make(rate)
    else:
        scaled = optax.adamw(rate)
    return optax.chain(scaled, optax.clip(1.0))  # ! clip-after-optimizer


def clipped_or_not(rate, clips):
    last = optax.clip(1.0) if clips else optax.identity()
    return optax.chain(optax.adam(rate), last)
