import jax
import optax

tx = optax.adam(1e-3)
gradient = jax.jit(jax.grad(lambda p, b: (p * b).sum()))


def train(params, state, batches):
    for batch in batches:
        grads = gradient(params, batch)
        updates, state = tx.update(grads, state, params)  # ! eager-optimizer-update
        params = optax.apply_updates(params, updates)
    return params


@jax.jit
def step(params, state, batch):
    updates, state = tx.update(gradient(params, batch), state, params)
    return optax.apply_updates(params, updates), state


def train_well(params, state, batches):
    for batch in batches:
        params, state = step(params, state, batch)
    return params


def helper(params, state, grads):
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state


def once(params, state, batch):
    return helper(params, state, gradient(params, batch))
