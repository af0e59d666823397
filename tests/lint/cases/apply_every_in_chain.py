import optax


def after(rate, k):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(rate, mask=lambda p: p),
        optax.apply_every(k),  # ! apply-every-in-chain
    )


def before(rate):
    return optax.chain(
        optax.apply_every(4),  # ! apply-every-in-chain
        optax.scale_by_adam(),
        optax.scale(-rate),
    )


def of_parts(rate):
    accumulate = optax.apply_every(k=8)
    return optax.chain(optax.lion(rate, mask=lambda p: p), accumulate)  # ! apply-every-in-chain


def of_one(rate):
    return optax.chain(optax.adam(rate), optax.apply_every(1))


def of_nothing_kept(rate):
    return optax.chain(optax.sgd(rate), optax.apply_every(4))


def around(rate):
    return optax.MultiSteps(optax.chain(optax.clip(1.0), optax.adam(rate)), 4)


def alone():
    return optax.apply_every(4)


def limited_one_by_one(rate):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.sgd(rate),
        optax.apply_every(3),  # ! apply-every-in-chain
    )


def limited_together(rate):
    return optax.chain(optax.apply_every(3), optax.clip(1.0), optax.sgd(rate))
