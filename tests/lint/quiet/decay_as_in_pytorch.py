"""Weight decay before Adam where it is meant, and before optimizers that need it there."""

import optax


def make_optimizer(rate, steps):
    # torch.optim.Adam(weight_decay=...) adds the weights to the gradient as well.
    schedule = optax.exponential_decay(rate, steps, 0.5, staircase=True)
    return optax.chain(
        optax.add_decayed_weights(1e-4),
        optax.scale_by_adam(),
        optax.scale_by_learning_rate(schedule),
    )


def adam(rate, l2_reg=0.0):
    if l2_reg > 0.0:
        return optax.chain(optax.add_decayed_weights(l2_reg), optax.adam(rate))
    return optax.adam(rate)


def only_momentum_needs_it(make, rate, settings):
    parts = [optax.clip(1.0)]
    if make == optax.sgd and "weight_decay" in settings:
        parts.append(optax.add_decayed_weights(settings.pop("weight_decay")))
    return optax.chain(*parts, make(rate, **settings))


def shrinks_by_hand(rate, weight_decay):
    return optax.chain(optax.sgd(rate), optax.add_decayed_weights(-rate * weight_decay))


def sums_of_updates(first, second, opt_state, params, grads):
    updates, _ = first.update(grads, opt_state, params)
    more_updates, _ = second.update(grads, opt_state, params)
    return optax.apply_updates(params, optax.apply_updates(updates, more_updates))


# gotcha: allow-file[weight-decay-without-mask] what they decay is not the subject here
