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


def own_loss(z, labels):
    return jnp.mean((z - labels) ** 2)


def own_loss_of_pairs(out, labels):
    z, updates = out
    return jnp.mean((z - labels) ** 2), updates


def own_either(z, labels):
    if isinstance(z, tuple):
        z = z[0]
    return jnp.mean((z - labels) ** 2)


def own_indexed(out, labels):
    return jnp.mean((out[0] - labels) ** 2)


def accuracy(logits, labels):
    return (jnp.argmax(logits, -1) == labels).mean()


def into_own_loss(state, variables, x, labels):
    y = state.apply_fn(variables, x, mutable=["batch_stats"])  # ! mutable-result-not-unpacked
    return own_loss(y, labels)


def into_own_metric(state, variables, x, labels):
    y = state.apply_fn(variables, x, mutable=["batch_stats"])  # ! mutable-result-not-unpacked
    return {"accuracy": accuracy(labels=labels, logits=y)}


def into_a_loss_of_pairs(state, variables, x, labels):
    y = state.apply_fn(variables, x, mutable=["batch_stats"])
    return own_loss_of_pairs(y, labels)


def into_a_loss_that_asks(state, variables, x, labels):
    y = state.apply_fn(variables, x, mutable=["batch_stats"])
    return own_either(y, labels)


def into_a_loss_that_indexes(state, variables, x, labels):
    y = state.apply_fn(variables, x, mutable=["batch_stats"])
    return own_indexed(y, labels)


def asked_here(state, variables, x, labels):
    y = state.apply_fn(variables, x, mutable=["batch_stats"])
    return own_loss(y[0] if isinstance(y, tuple) else y, labels)


def run(state, variables, x):
    return state.apply_fn(variables, x, mutable=["batch_stats"])


def run_once_more(state, variables, x):
    return run(state, variables, x)


def run_alone(state, variables, x, train):
    if train:
        return state.apply_fn(variables, x, mutable=["batch_stats"])
    return state.apply_fn(variables, x)


def through_a_helper(state, variables, x, labels):
    y = run(state, variables, x)  # ! mutable-result-not-unpacked
    return own_loss(y, labels)


def through_two_helpers(state, variables, x, labels):
    scores = run_once_more(state, variables, x)  # ! mutable-result-not-unpacked
    return optax.softmax_cross_entropy(scores, labels)


def through_a_helper_unpacked(state, variables, x, labels):
    y, updates = run_once_more(state, variables, x)
    return own_loss(y, labels), updates


def through_a_helper_that_may_give_both(state, variables, x, labels):
    y = run_alone(state, variables, x, False)
    return own_loss(y, labels)


def handed_on(state, variables, x):
    return run(state, variables, x)


def of_a_choice(state, variables, x, labels, train):
    y = state.apply_fn(variables, x, mutable=["batch_stats"] if train else False)
    return own_loss(y, labels)
