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
