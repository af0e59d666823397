import jax
import optax
from optax import adamw


def of_a_configuration(config):
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        adamw(config.rate, weight_decay=config.decay),  # ! weight-decay-without-mask
    )


def by_position(rate):
    return optax.lamb(rate, 0.9, 0.999, 1e-6, 0.0, 0.01)  # ! weight-decay-without-mask


def alone():
    return optax.add_decayed_weights(1e-4)  # ! weight-decay-without-mask


def masked_by_position(rate, mask):
    return optax.adamw(rate, 0.9, 0.999, 1e-8, 0.0, None, 0.1, mask)


def of_matrices(rate):
    return optax.adamw(
        rate, weight_decay=0.1, mask=lambda p: jax.tree.map(lambda leaf: leaf.ndim > 1, p)
    )


def without_decay(rate):
    return optax.adamw(rate, weight_decay=0.0), optax.lamb(rate)


def for_some_leaves(rate, labels):
    return optax.multi_transform(
        {"decay": optax.adamw(rate, weight_decay=0.1), "plain": optax.adam(rate)}, labels
    )


def with_options(rate, **options):
    return optax.adamw(rate, **options)


def of_optax(rate):
    return optax.adamw(rate)
