import jax.numpy as jnp
import optax


def into_a_loss(model, variables, x, labels):
    logits = model.apply(variables, x, mutable=["batch_stats"])  # ! mutable-result-not-unpacked
    return optax.softmax_cross_entropy(logits, labels)


def at_once(model, variables, x):
    return model.apply(variables, x, mutable=[]).mean()  # ! mutable-result-not-unpacked


def subtracted(model, variables, x):
    y = model.apply(variables, x, mutable="batch_stats")  # ! mutable-result-not-unpacked
    return y - x


def unpacked(model, variables, x):
    y, updates = model.apply(variables, x, mutable=["batch_stats"])
    return y.mean(), updates


def by_index(model, variables, x):
    out = model.apply(variables, x, mutable=["batch_stats"])
    return jnp.mean(out[0]), out[1]


def returned(model, variables, x):
    return model.apply(variables, x, mutable=["batch_stats"])


def not_mutable(model, variables, x):
    y = model.apply(variables, x, mutable=False)
    return y.mean()


def unpacked_later(model, variables, x):
    out = model.apply(variables, x, mutable=["batch_stats"])
    y, updates = out
    return y.mean(), updates
